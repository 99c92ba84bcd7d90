import { resolverOf } from './filter.ts';
import { isObject, type Resource, textOf, type Value } from './resource.ts';
import type { ResourceType } from './schemas.ts';

/** The attributes that a client asks for, or does without (RFC 7644, section 3.9). */
export type Projection = { attributes: readonly string[]; excluded: readonly string[] };

/** Reads the parameters `attributes` and `excludedAttributes`. */
export function readProjection(read: (name: string) => unknown): Projection {
  const names = (name: string) => {
    const parameter = read(name);
    const list = Array.isArray(parameter) ? parameter : textOf(parameter).split(',');
    return list.map((one) => textOf(one).trim()).filter((one) => one !== '');
  };
  return { attributes: names('attributes'), excluded: names('excludedAttributes') };
}

const always = ['schemas', 'id'];

/** Whether a projection shows an attribute of the core schema. */
export function shows({ attributes, excluded }: Projection, name: string): boolean {
  const isNamed = (one: string) => {
    const lower = one.toLowerCase();
    return lower === name.toLowerCase() || lower.startsWith(`${name.toLowerCase()}.`);
  };
  if (attributes.length > 0) return attributes.some(isNamed);
  return !excluded.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** The attributes that names select, each with its selected sub-attributes; none = all of it. */
type Selection = ReadonlyMap<string, readonly string[]>;

const keyOf = (extension: string, name: string): string => `${extension} ${name}`.toLowerCase();

function select(type: ResourceType, names: readonly string[]): Selection {
  const resolve = resolverOf(type);
  const selected = new Map<string, readonly string[]>();
  for (const name of names) {
    const path = resolve(name);
    const key = path ? keyOf(path.extension, path.attribute.name) : keyOf('', name);
    const subs = selected.get(key);
    const isWhole = !path?.sub || subs?.length === 0;
    selected.set(key, isWhole ? [] : [...(subs ?? []), path.sub?.name ?? '']);
  }
  return selected;
}

/** A resource with the attributes that are asked for. Unknown names are ignored. */
export function applyProjection(
  type: ResourceType,
  resource: Resource,
  { attributes, excluded }: Projection,
): Resource {
  const isSelection = attributes.length > 0;
  const selected = select(type, isSelection ? attributes : excluded);
  const project = (extension: string, object: Resource): Resource =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        const subs = selected.get(keyOf(extension, name));
        const isUrn = extension === '' && type.extensions.some(({ id }) => id === name);
        if (isUrn && !subs) return entryOf(name, project(name, value as Resource));
        if (extension === '' && always.includes(name)) return [[name, value]];
        return entryOf(name, isSelection ? onlyOf(value, subs) : withoutOf(value, subs));
      }),
    );
  return project('', resource);
}

const entryOf = (name: string, value: Value | undefined): Array<[string, Value]> =>
  value === undefined || (isObject(value) && Object.keys(value).length === 0)
    ? []
    : [[name, value]];

function onlyOf(value: Value, subs: readonly string[] | undefined): Value | undefined {
  if (!subs || subs.length === 0) return subs && value;
  return eachOf(value, (name) => subs.includes(name));
}

function withoutOf(value: Value, subs: readonly string[] | undefined): Value | undefined {
  if (!subs || subs.length === 0) return subs ? undefined : value;
  return eachOf(value, (name) => !subs.includes(name));
}

/** A value, or each value of a list, with the sub-attributes that `keeps` accepts. */
const eachOf = (value: Value, keeps: (name: string) => boolean): Value => {
  if (Array.isArray(value)) return value.map((one: Value) => eachOf(one, keeps));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => keeps(name)));
};
