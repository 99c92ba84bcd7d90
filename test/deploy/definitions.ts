import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { type Definition, strict } from '../chart/schemas.ts';
import { lastWords, moduleFolder } from '../tools/go.ts';

// The schemas of other projects' objects, from their Go modules.

const modules: ReadonlyArray<{ module: string; version: string; files: string }> = [
  {
    module: 'github.com/cloudnative-pg/cloudnative-pg',
    version: '1.28.0',
    files: 'config/crd/bases/postgresql.cnpg.io_{clusters,scheduledbackups}.yaml',
  },
  {
    module: 'github.com/cert-manager/cert-manager',
    version: '1.21.2',
    files: 'deploy/crds/cert-manager.io_{certificates,issuers}.yaml',
  },
  {
    module: 'github.com/external-secrets/external-secrets',
    version: '1.3.2',
    files: 'config/crds/bases/external-secrets.io_secretstores.yaml',
  },
  {
    module: 'sigs.k8s.io/gateway-api',
    version: '1.6.3',
    files: 'config/crd/standard/gateway.networking.k8s.io_{gateways,httproutes}.yaml',
  },
  {
    module: 'github.com/argoproj/argo-cd/v3',
    version: '3.1.0',
    files: 'manifests/crds/application-crd.yaml',
  },
];

/**
 * For each `apiVersion kind`, a check that rejects fields which the definition does not name; or
 * the reason why there are none.
 */
export async function findDefinitions(): Promise<
  { checks: Map<string, ValidateFunction>; reason?: never } | { checks?: never; reason: string }
> {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const checks = new Map<string, ValidateFunction>();
  try {
    for (const { module, version, files } of modules) {
      const folder = await moduleFolder(module, version);
      for (const file of globSync(files, { cwd: folder })) {
        const { group, names, versions } = (
          parse(readFileSync(join(folder, file), 'utf8')) as Definition
        ).spec;
        for (const one of versions.filter(({ served }) => served))
          checks.set(
            `${group}/${one.name} ${names.kind}`,
            ajv.compile(strict(one.schema.openAPIV3Schema, true)),
          );
      }
    }
    return { checks };
  } catch (error) {
    return { reason: `NOT TESTED: no definitions of the examples' objects: ${lastWords(error)}` };
  }
}
