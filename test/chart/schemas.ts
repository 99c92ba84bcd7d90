import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '@bailiwick/deploy/local/paths.ts';
import { parse } from 'yaml';
import { lastWords, moduleFolder } from '../tools/go.ts';
import { makeOnce } from '../tools/make-once.ts';

// Strict JSON schemas of Kubernetes objects for kubeconform, made from the Go modules: Kubernetes'
// OpenAPI description and the definitions of custom resources.

export type Schema = {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  $ref?: string;
};
type Kind = { group: string; version: string; kind: string };
type SwaggerDocument = {
  definitions: Record<string, Schema & { 'x-kubernetes-group-version-kind'?: Kind[] }>;
};
export type Definition = {
  spec: {
    group: string;
    names: { kind: string };
    versions: Array<{ name: string; served: boolean; schema: { openAPIV3Schema: Schema } }>;
  };
};

const prometheus = ['servicemonitors', 'podmonitors', 'prometheusrules'].map(
  (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
);

const definitions: ReadonlyArray<{ module: string; version: string; files: readonly string[] }> = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: '0.85.0',
    files: prometheus,
  },
  {
    module: 'github.com/kedacore/keda/v2',
    version: '2.21.0',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  },
  {
    module: 'github.com/cert-manager/cert-manager',
    version: '1.21.2',
    files: ['deploy/crds/cert-manager.io_certificates.yaml'],
  },
  {
    module: 'github.com/external-secrets/external-secrets',
    version: '1.3.2',
    files: ['config/crds/bases/external-secrets.io_externalsecrets.yaml'],
  },
  {
    module: 'sigs.k8s.io/gateway-api',
    version: '1.6.3',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
];

/**
 * Makes the schemas of that Kubernetes version and of the custom resources, once. Returns their
 * folder, or the reason why there are none.
 */
export async function findSchemas(
  kubernetes: string,
): Promise<{ folder: string; reason?: never } | { folder?: never; reason: string }> {
  const folder = join(cacheDir, 'schemas', `kubernetes-${kubernetes}`);
  try {
    await makeOnce(folder, (target) => writeSchemas(kubernetes, target));
    return { folder };
  } catch (error) {
    return { reason: `NOT TESTED: no schemas of Kubernetes ${kubernetes}: ${lastWords(error)}` };
  }
}

async function writeSchemas(kubernetes: string, folder: string): Promise<void> {
  mkdirSync(folder);
  const write = ({ kind, group, version }: Kind, schema: Schema) => {
    const suffix = [group.split('.')[0], version].filter(Boolean).join('-');
    writeFileSync(join(folder, `${kind}-${suffix}.json`.toLowerCase()), JSON.stringify(schema));
  };
  const source = await moduleFolder('k8s.io/kubernetes', kubernetes);
  const described = JSON.parse(
    readFileSync(join(source, 'api/openapi-spec/swagger.json'), 'utf8'),
  ) as SwaggerDocument;
  for (const [name, definition] of Object.entries(described.definitions)) {
    const [kind, ...more] = definition['x-kubernetes-group-version-kind'] ?? [];
    if (kind && more.length === 0)
      write(kind, { $ref: `#/definitions/${name}`, definitions: closure(name, described) });
  }
  for (const { module, version, files } of definitions) {
    const crds = await moduleFolder(module, version);
    for (const file of files) {
      const { spec } = parse(readFileSync(join(crds, file), 'utf8')) as Definition;
      for (const one of spec.versions.filter(({ served }) => served))
        write(
          { kind: spec.names.kind, group: spec.group, version: one.name },
          strict(one.schema.openAPIV3Schema, true),
        );
    }
  }
}

/** A definition with all definitions it refers to. */
function closure(first: string, { definitions: all }: SwaggerDocument): Record<string, Schema> {
  const named = new Set([first]);
  const schemas: Record<string, Schema> = {};
  for (const name of named) {
    schemas[name] = special[name] ?? strict(all[name] ?? {});
    for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(
      /"#\/definitions\/([^"]+)"/g,
    ))
      named.add(other);
  }
  return schemas;
}

const textOrNumber: Schema = { type: ['string', 'number'] };

/** Types whose wire format differs from the description. */
const special: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': textOrNumber,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['string', 'integer'] },
};

/**
 * The schema without properties that it does not name. `isRoot`: of a custom resource, whose
 * metadata stay free-form.
 */
export function strict(schema: Schema, isRoot = false): Schema {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: ['string', 'integer'] };
  const { properties, ...rest } = schema;
  // An alternative lists only the properties that it is about.
  const isAlternative = (key: string) => ['allOf', 'anyOf', 'oneOf', 'not'].includes(key);
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, isAlternative(key) ? value : inner(value)]),
  ) as Schema;
  if (!properties) return copy;
  const names = Object.entries(properties).map(([key, value]) => [
    key,
    isRoot && key === 'metadata' ? { type: 'object' } : strict(value),
  ]);
  const isOpen =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['additionalProperties'] !== undefined;
  return {
    ...copy,
    properties: Object.fromEntries(names) as Record<string, Schema>,
    ...(!isOpen && { additionalProperties: false }),
  };
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  return typeof value === 'object' && value !== null ? strict(value as Schema) : value;
}
