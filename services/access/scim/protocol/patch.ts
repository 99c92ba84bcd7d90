import { type Filter, type PatchPath, type Resolve, readPath, resolverOf } from './filter.ts';
import { matches } from './matches.ts';
import { invalidPath, invalidSyntax, invalidValue, mutability, noTarget } from './problems.ts';
import { canonical, isObject, type Resource, readValue, textOf, type Value } from './resource.ts';
import type { Attribute, ResourceType } from './schemas.ts';

// PATCH (RFC 7644, section 3.5.2), in the forms that directories send: operations in any case,
// values as text, lists of one, names with dots in an operation without a path, and the removal of
// members by value.

/** Each of them goes through all values of a list. */
const maxOperations = 200;

type Operation = { op: 'add' | 'replace' | 'remove'; path: string; value: unknown };

/** The resource after the operations of a PATCH. The given one stays as it is. */
export function patched(type: ResourceType, resource: Resource, body: unknown): Resource {
  const next = structuredClone(resource);
  const resolve = resolverOf(type);
  for (const operation of readOperations(body)) apply(type, next, operation, resolve);
  return next;
}

/** The value of a property in any case. */
const property = (json: Record<string, unknown>, name: string): unknown =>
  Object.entries(json).find(([key]) => key.toLowerCase() === name)?.[1];

function readOperations(body: unknown): Operation[] {
  const sent = isObject(body) ? property(body, 'operations') : undefined;
  const list = isObject(sent) ? [sent] : sent;
  if (!Array.isArray(list) || list.length === 0)
    throw invalidSyntax('Operations must be a list of operations');
  if (list.length > maxOperations)
    throw invalidSyntax(`Operations must have at most ${maxOperations} operations`);
  return list.map((one: unknown) => {
    if (!isObject(one)) throw invalidSyntax('each of Operations must be an object');
    const op = String(property(one, 'op')).toLowerCase();
    const path = property(one, 'path') ?? '';
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw invalidSyntax('op must be add, replace or remove');
    if (typeof path !== 'string') throw invalidPath('path must be a text');
    return { op, path, value: property(one, 'value') };
  });
}

function apply(
  type: ResourceType,
  resource: Resource,
  { op, path, value }: Operation,
  resolve: Resolve,
): void {
  if (path !== '') {
    const extension = extensionOf(type, path);
    if (extension === undefined) return applyAt(resource, op, target(path, resolve), value);
    if (op === 'remove') {
      const { attributes } = type.extensions.find(({ id }) => id === extension) ?? {};
      if (attributes?.every(({ readOnly }) => readOnly))
        throw mutability(`${extension} is read-only`);
      return void delete resource[extension];
    }
    return applyEach(type, resource, op, { [extension]: value }, resolve);
  }
  if (op === 'remove') throw noTarget('remove needs a path');
  if (!isObject(value)) throw invalidValue('value must be an object if there is no path');
  applyEach(type, resource, op, value, resolve);
}

const extensionOf = ({ extensions }: ResourceType, name: string): string | undefined =>
  extensions.find(({ id }) => id.toLowerCase() === name.toLowerCase())?.id;

/** Applies each property of a value without a path. Unknown and read-only ones are ignored. */
function applyEach(
  type: ResourceType,
  resource: Resource,
  op: 'add' | 'replace',
  values: Record<string, unknown>,
  resolve: Resolve,
): void {
  for (const [name, value] of Object.entries(values)) {
    const extension = extensionOf(type, name);
    if (extension === undefined) {
      const path = readPath(name, resolve);
      if (path && !path.attribute.readOnly) applyAt(resource, op, path, value);
    } else if (isObject(value)) {
      const within = Object.entries(value).map(([key, one]) => [`${extension}:${key}`, one]);
      applyEach(type, resource, op, Object.fromEntries(within), resolve);
    } else throw invalidValue(`${extension} must be an object`);
  }
}

function target(text: string, resolve: Resolve): PatchPath {
  const path = readPath(text, resolve);
  if (!path) throw invalidPath(`there is no attribute ${text.slice(0, 100)}`);
  if (path.attribute.readOnly) throw mutability(`${path.attribute.name} is read-only`);
  return path;
}

function applyAt(resource: Resource, op: Operation['op'], path: PatchPath, value: unknown): void {
  const holder = holderOf(resource, path.extension);
  const { name } = path.attribute;
  const next = path.attribute.multiValued
    ? nextValues((holder[name] ?? []) as readonly Value[], op, path, value)
    : nextValue(holder[name], op, path, value);
  const isEmpty = next === undefined || (Array.isArray(next) && next.length === 0);
  if (isEmpty) delete holder[name];
  else holder[name] = next;
  if (path.extension !== '' && Object.keys(holder).length === 0) delete resource[path.extension];
}

function holderOf(resource: Resource, extension: string): Resource {
  if (extension === '') return resource;
  const known = resource[extension];
  if (isObject(known)) return known;
  const made: Resource = {};
  resource[extension] = made;
  return made;
}

/** The value of an attribute with one value. A sent null or empty text removes it. */
function nextValue(
  stored: Value | undefined,
  op: Operation['op'],
  { attribute, sub }: PatchPath,
  value: unknown,
): Value | undefined {
  if (!sub) {
    const read = op === 'remove' ? undefined : readValue(attribute, value);
    // The sub-attributes that were not sent stay (RFC 7644, section 3.5.2.3).
    return isObject(read) && isObject(stored) ? { ...stored, ...read } : read;
  }
  const object = isObject(stored) ? stored : {};
  const changed = withSub(object, sub, op, value);
  return Object.keys(changed).length > 0 ? changed : undefined;
}

function withSub(object: Resource, sub: Attribute, op: Operation['op'], value: unknown): Resource {
  const { [sub.name]: _, ...others } = object;
  const read = op === 'remove' ? undefined : readValue(sub, value);
  return read === undefined ? others : { ...others, [sub.name]: read };
}

/** The values of a list. */
function nextValues(
  stored: readonly Value[],
  op: Operation['op'],
  path: PatchPath,
  value: unknown,
): readonly Value[] {
  const { attribute, sub, filter } = path;
  if (!sub && !filter) {
    const read = (readValue(attribute, value) ?? []) as readonly Value[];
    if (op === 'replace') return read;
    if (op === 'add') return merged(stored, read);
    // Entra ID removes members by their values.
    return read.length > 0 ? without(stored, read) : [];
  }
  const isMeant = (one: Value) => !filter || (isObject(one) && matches(filter, one));
  if (op === 'remove' && !sub) return stored.filter((one) => !isMeant(one));
  const change = (one: Resource): Resource =>
    sub
      ? withSub(one, sub, op, value)
      : { ...one, ...((readValue(oneOf(attribute), value) ?? {}) as Resource) };
  if (stored.some(isMeant)) {
    const changed = stored.map((one) => (isMeant(one) ? change(one as Resource) : one));
    return onePrimary(
      changed,
      changed.filter((one, index) => one !== stored[index]),
    );
  }
  if (op === 'remove') return stored;
  // Directories replace the work address of a person who has none yet.
  const made = change(describedBy(filter));
  return onePrimary([...stored, made], [made]);
}

/** The attribute as one value of its list. */
const oneOf = ({ name, type, description, subAttributes = [] }: Attribute): Attribute => ({
  name,
  type,
  description,
  subAttributes,
});

/** The value that a filter such as `type eq "work"` describes. */
function describedBy(filter: Filter | undefined): Resource {
  if (!filter) return {};
  const terms = filter.kind === 'and' ? filter.terms : [filter];
  return Object.fromEntries(
    terms.map((term) => {
      if (term.kind !== 'compare' || term.operator !== 'eq' || term.value === null)
        throw noTarget('no value matches the filter of the path');
      return [term.path.attribute.name, readValue(term.path.attribute, term.value) ?? ''];
    }),
  );
}

const keyOf = (value: Value): string =>
  isObject(value) && 'value' in value
    ? `${textOf(value['value'])} ${textOf(value['type'])}`
    : canonical(value);

/** Adds values: one that is there already is replaced. */
function merged(stored: readonly Value[], added: readonly Value[]): readonly Value[] {
  const values = new Map([...stored, ...added].map((one) => [keyOf(one), one]));
  return onePrimary([...values.values()], added);
}

function without(stored: readonly Value[], removed: readonly Value[]): readonly Value[] {
  const valueOf = (one: Value) => (isObject(one) ? one['value'] : one);
  const gone = new Set(removed.map(valueOf));
  return stored.filter((one) => !gone.has(valueOf(one)));
}

/** A new primary value replaces the former one (RFC 7644, section 3.5.2). */
function onePrimary(values: readonly Value[], changed: readonly Value[]): readonly Value[] {
  const isPrimary = (one: Value) => isObject(one) && one['primary'] === true;
  const primary = changed.findLast(isPrimary);
  if (!primary) return values;
  return values.map((one) =>
    one !== primary && isPrimary(one) ? { ...(one as Resource), primary: false } : one,
  );
}
