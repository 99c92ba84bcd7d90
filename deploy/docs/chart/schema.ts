import type { Setting } from '@bailiwick/process';
import { parse } from 'yaml';
import { byName, byPath, byWorkload, config, type Schema } from './constraints.ts';
import {
  isMap,
  pathTo,
  readChartFile,
  readValues,
  settings,
  type Values,
  type WrittenValues,
} from './values.ts';

// Generates helm/bailiwick/values.schema.json from values.yaml: a value has the type of its
// default, the comment above it as its description, and its constraints. A key that values.yaml
// does not have is rejected.

/** The old names of values: path → the new name. */
export const readRenamed = (): Record<string, string> =>
  parse(readChartFile('files/renamed.yaml')) as Record<string, string>;

export function chartSchema(
  written: WrittenValues = readValues(),
  renamed: Record<string, string> = readRenamed(),
): Schema {
  const whole = schemaOf('', written.values, written.comments);
  const properties = whole.properties ?? {};
  const workload = workloadSchema(properties['defaults'] ?? {});
  properties['config'] = { ...properties['config'], ...configSchema() };
  properties['services'] = servicesSchema(properties['services'] ?? {});
  properties['enabled'] = {
    type: 'boolean',
    description: 'The values of a parent chart for its dependencies. Not read.',
  };
  for (const [path, successor] of Object.entries(renamed))
    admitOldName(properties, path, successor);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart bailiwick',
    ...whole,
    description: 'Everything that can be set.',
    allOf: [behindProxy('ingress'), behindProxy('httpRoute')],
    definitions: { workload },
  };
}

export function renderChartSchema(): string {
  return `${JSON.stringify(chartSchema(), null, 1)}\n`;
}

function schemaOf(
  path: string,
  value: unknown,
  comments: ReadonlyMap<string, string>,
  above = '',
): Schema {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const override = byPath[path] ?? byName[name] ?? {};
  const description = comments.get(path) || override.description || above;
  if (path !== '' && description === '') throw new Error(`values.yaml has no comment on ${path}`);
  if (!isMap(value) || override.type !== undefined)
    return { type: typeOf(value), ...override, description };
  // An empty default is free-form: Kubernetes defines its fields.
  if (Object.keys(value).length === 0) return { type: 'object', description };
  const properties = Object.entries(value).map(([key, one]) => [
    key,
    schemaOf(pathTo(path, key), one, comments, description),
  ]);
  return {
    description,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties) as Record<string, Schema>,
  };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return 'integer';
  return isMap(value) ? 'object' : typeof value;
}

const types: Partial<Record<Setting['kind'], string>> = {
  int: 'integer',
  flag: 'boolean',
  list: 'array',
};

function configSchema(): Schema {
  const properties = Object.entries(config).map(([name, override]) => {
    const setting = settings[name];
    if (!setting) throw new Error(`config.${name} is not a setting of any process`);
    return [
      name,
      {
        type: types[setting.kind] ?? 'string',
        ...override,
        description: `${setting.env}: ${setting.about}`,
      },
    ];
  });
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties) as Record<string, Schema>,
  };
}

/** The values of one workload: everything in `defaults`, and config. */
function workloadSchema(defaults: Schema): Schema {
  const names = Object.keys(defaults.properties ?? {});
  const inherited = names.map((name) => [
    name,
    { $ref: `#/properties/defaults/properties/${name}` },
  ]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(inherited),
      ...byWorkload,
      config: { $ref: '#/properties/config' },
    } as Record<string, Schema>,
  };
}

function servicesSchema({ properties = {}, ...rest }: Schema): Schema {
  const workloads = Object.entries(properties).map(([name, { description }]) => [
    name,
    { description: description ?? '', $ref: '#/definitions/workload' },
  ]);
  return { ...rest, properties: Object.fromEntries(workloads) as Record<string, Schema> };
}

/**
 * Behind a proxy every call has the proxy's address, unless the gateway knows which proxies to
 * trust. A list of the gateway's own takes precedence.
 */
function behindProxy(edge: string): Schema {
  const required = { required: ['trustedProxies'] };
  const filled = { properties: { trustedProxies: { minItems: 1 } } };
  const ofGateway = (config: Schema): Schema => ({
    properties: { services: { properties: { gateway: config } } },
  });
  const named = { properties: { config: { ...required, ...filled } } };
  const namedByGateway = ofGateway({ required: ['config'], properties: { config: required } });
  return {
    if: { properties: { [edge]: { properties: { enabled: { const: false } } } } },
    else: { anyOf: [named, namedByGateway], ...ofGateway({ properties: { config: filled } }) },
  };
}

function admitOldName(properties: Record<string, Schema>, path: string, successor: string): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = properties;
  for (const name of names) {
    const next: Schema = (place[name] ??= { type: 'object', additionalProperties: false });
    place = next.properties ??= {};
  }
  place[last] = { deprecated: true, description: `Called ${successor} now.` };
}

/** The values that have a line of their own and no value with a line below them. */
export function leavesOf({
  comments,
  values,
}: WrittenValues): Array<{ path: string; description: string; fallback: unknown }> {
  const paths = [...comments.keys()];
  const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
  return leaves.map((path) => ({
    path,
    description: comments.get(path) ?? '',
    fallback: valueAt(values, path),
  }));
}

const valueAt = (values: Values, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((place, name) => (isMap(place) ? place[name] : undefined), values);
