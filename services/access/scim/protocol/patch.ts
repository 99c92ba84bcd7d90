import { type Filter, type PatchPath, type Resolve, readPath, resolverOf } from './filter.ts';
import { type Intake, noteUnstored, readPart } from './intake.ts';
import { matches } from './matches.ts';
import { invalidPath, invalidSyntax, invalidValue, mutability, noTarget } from './problems.ts';
import { canonical, isObject, type Resource, readValue, textOf, type Value } from './resource.ts';
import type { Attribute, ResourceType } from './schemas.ts';

// PATCH (RFC 7644, section 3.5.2), in the forms that directories send: operations in any case,
// values as text, lists of one, names with dots in an operation without a path, and the removal of
// members by value.

/** Each of them goes through all values of a list. */
const maxOperations = 200;

type Operation = {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value: unknown;
  /** Whether the operation has a value, null included. */
  hasValue: boolean;
};

/** The resource after the operations of a PATCH. The given one stays as it is. */
export function applyPatch(
  type: ResourceType,
  resource: Resource,
  body: unknown,
  intake: Intake,
): Resource {
  const patch = { type, next: structuredClone(resource), resolve: resolverOf(type), intake };
  for (const [index, input] of readOperations(body, intake).entries())
    readPart(intake, nameOf(input), () => {
      const operation = readOperation(input);
      apply(patch, index < maxOperations ? operation : activation(operation));
    });
  return patch.next;
}

/** The part that is read of an operation beyond the limit: a request may deactivate a person there. */
function activation({ op, path, value }: Operation): Operation {
  const active = path === '' && isObject(value) ? entryOf(value, 'active')?.[1] : undefined;
  if (active !== undefined) return { op, path: 'active', value: active, hasValue: true };
  if (/(?:^|:)active$/i.test(path)) return { op, path, value, hasValue: true };
  throw tooManyOperations();
}

const tooManyOperations = () =>
  invalidSyntax(`Operations must have at most ${maxOperations} operations`);

type Patch = { type: ResourceType; next: Resource; resolve: Resolve; intake: Intake };

/** The value of a property in any case. */
const entryOf = (json: Record<string, unknown>, name: string): [string, unknown] | undefined =>
  Object.entries(json).find(([key]) => key.toLowerCase() === name);

function readOperations(body: unknown, { leavesOut }: Intake): unknown[] {
  const operations = isObject(body) ? entryOf(body, 'operations')?.[1] : undefined;
  const list = isObject(operations) ? [operations] : operations;
  if (!Array.isArray(list) || list.length === 0)
    throw invalidSyntax('Operations must be a list of operations');
  if (list.length > maxOperations && !leavesOut) throw tooManyOperations();
  return list;
}

/** The attribute of an operation, for the list of the parts that were left out. */
const nameOf = (operation: unknown): string =>
  (isObject(operation) && textOf(entryOf(operation, 'path')?.[1])) || 'Operations';

function readOperation(input: unknown): Operation {
  if (!isObject(input)) throw invalidSyntax('each of Operations must be an object');
  const op = String(entryOf(input, 'op')?.[1]).toLowerCase();
  const path = entryOf(input, 'path')?.[1] ?? '';
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw invalidSyntax('op must be add, replace or remove');
  if (typeof path !== 'string') throw invalidPath('path must be a string');
  const entry = entryOf(input, 'value');
  return { op, path, value: entry?.[1], hasValue: entry !== undefined };
}

function apply(patch: Patch, operation: Operation): void {
  const { type, next } = patch;
  const { op, path, value } = operation;
  if (path !== '') {
    const extension = extensionOf(type, path);
    if (extension === undefined) return applyAt(patch, target(path, patch.resolve), operation);
    if (op === 'remove') {
      const { attributes } = type.extensions.find(({ id }) => id === extension) ?? {};
      if (attributes?.every(({ readOnly }) => readOnly))
        throw mutability(`${extension} is read-only`);
      return void delete next[extension];
    }
    return applyEach(patch, op, { [extension]: value });
  }
  if (op === 'remove') throw noTarget('remove needs a path');
  if (!isObject(value)) throw invalidValue('value must be an object if there is no path');
  applyEach(patch, op, value);
}

const extensionOf = ({ extensions }: ResourceType, name: string): string | undefined =>
  extensions.find(({ id }) => id.toLowerCase() === name.toLowerCase())?.id;

/** Applies each property of a value without a path. Read-only ones are ignored. */
function applyEach(patch: Patch, op: 'add' | 'replace', values: Record<string, unknown>): void {
  const { type, resolve, intake } = patch;
  const applyOne = (name: string, value: unknown): void => {
    const extension = extensionOf(type, name);
    if (extension === undefined) {
      const path = existingPath(name, resolve);
      if (!path.attribute.readOnly) applyAt(patch, path, { op, path: name, value, hasValue: true });
    } else if (isObject(value)) {
      const within = Object.entries(value).map(([key, one]) => [`${extension}:${key}`, one]);
      applyEach(patch, op, Object.fromEntries(within));
    } else throw invalidValue(`${extension} must be an object`);
  };
  for (const [name, value] of Object.entries(values))
    readPart(intake, name, () => applyOne(name, value));
}

function existingPath(text: string, resolve: Resolve): PatchPath {
  const path = readPath(text, resolve);
  if (!path) throw invalidPath(`there is no attribute ${text.slice(0, 100)}`);
  return path;
}

function target(text: string, resolve: Resolve): PatchPath {
  const path = existingPath(text, resolve);
  if (path.attribute.readOnly) throw mutability(`${path.attribute.name} is read-only`);
  return path;
}

function applyAt({ next: resource, intake }: Patch, path: PatchPath, operation: Operation): void {
  const { extension, attribute, sub } = path;
  if (attribute.unstored || sub?.unstored)
    return noteUnstored(intake, operation.path, operation.op === 'remove' || operation.value);
  if (attribute.derived) return;
  const stored = extension === '' ? resource : resource[extension];
  const holder: Resource = isObject(stored) ? stored : {};
  const change = { ...operation, intake };
  const next = attribute.multiValued
    ? nextValues((holder[attribute.name] ?? []) as readonly Value[], path, change)
    : nextValue(holder[attribute.name], path, change);
  const isEmpty = next === undefined || (Array.isArray(next) && next.length === 0);
  if (isEmpty) delete holder[attribute.name];
  else holder[attribute.name] = next;
  if (extension === '') return;
  if (Object.keys(holder).length === 0) delete resource[extension];
  else resource[extension] = holder;
}

type Change = Operation & { intake: Intake };

/** The value of an attribute with one value. A sent null or empty text removes it. */
function nextValue(
  stored: Value | undefined,
  { attribute, sub }: PatchPath,
  change: Change,
): Value | undefined {
  if (!sub) {
    const { op, value, intake } = change;
    const read = op === 'remove' ? undefined : readValue(attribute, value, intake);
    // The sub-attributes that were not sent stay (RFC 7644, section 3.5.2.3).
    return isObject(read) && isObject(stored) ? { ...stored, ...read } : read;
  }
  const object = isObject(stored) ? stored : {};
  const changed = withSub(object, sub, change);
  return Object.keys(changed).length > 0 ? changed : undefined;
}

function withSub(object: Resource, sub: Attribute, { op, value, intake }: Change): Resource {
  const { [sub.name]: _, ...others } = object;
  const read = op === 'remove' ? undefined : readValue(sub, value, intake);
  return read === undefined ? others : { ...others, [sub.name]: read };
}

function nextValues(stored: readonly Value[], path: PatchPath, change: Change): readonly Value[] {
  const { op, value, intake } = change;
  const { attribute, sub, filter } = path;
  if (op === 'remove') intake.emptied.add(attribute.name);
  if (!sub && !filter) {
    if (op === 'remove' && !change.hasValue) return [];
    const read = (readValue(attribute, value, intake) ?? []) as readonly Value[];
    if (op === 'replace') return read;
    if (op === 'add') return mergeValues(stored, read);
    // Entra ID removes members by their values. Values that name none remove none.
    return without(stored, read);
  }
  const isMeant = (one: Value) => !filter || (isObject(one) && matches(filter, one));
  if (op === 'remove' && !sub) return stored.filter((one) => !isMeant(one));
  const changed = (one: Resource): Resource =>
    sub
      ? withSub(one, sub, change)
      : { ...one, ...((readValue(oneOf(attribute), value, intake) ?? {}) as Resource) };
  if (stored.some(isMeant)) {
    const values = stored.map((one) => (isMeant(one) ? changed(one as Resource) : one));
    return onePrimary(
      values,
      values.filter((one, index) => one !== stored[index]),
    );
  }
  if (op === 'remove') return stored;
  // Directories replace the work address of a person who has none yet.
  const added = changed(describedBy(filter, intake));
  return onePrimary([...stored, added], [added]);
}

/** The attribute as one value of its list. */
const oneOf = ({ name, type, description, subAttributes = [] }: Attribute): Attribute => ({
  name,
  type,
  description,
  subAttributes,
});

/** The value that a filter such as `type eq "work"` describes. */
function describedBy(filter: Filter | undefined, intake: Intake): Resource {
  if (!filter) return {};
  const terms = filter.kind === 'and' ? filter.terms : [filter];
  return Object.fromEntries(
    terms.map((term) => {
      const isEqual = term.kind === 'compare' && term.operator === 'eq' && term.value !== null;
      if (!isEqual || term.path.attribute.unstored)
        throw noTarget('no value matches the filter of the path');
      return [term.path.attribute.name, readValue(term.path.attribute, term.value, intake) ?? ''];
    }),
  );
}

const keyOf = (element: Value): string =>
  isObject(element) && 'value' in element
    ? `${textOf(element['value'])} ${textOf(element['type'])}`
    : canonical(element);

/** Adds values: one that is there already is replaced. */
function mergeValues(stored: readonly Value[], added: readonly Value[]): readonly Value[] {
  const values = new Map([...stored, ...added].map((one) => [keyOf(one), one]));
  return onePrimary([...values.values()], added);
}

/** The values without those that are named: by `value`, or whole where they have none. */
function without(stored: readonly Value[], removed: readonly Value[]): readonly Value[] {
  const nameOf = (one: Value) => textOf(isObject(one) ? one['value'] : one) || canonical(one);
  const removedNames = new Set(removed.map(nameOf));
  return stored.filter((one) => !removedNames.has(nameOf(one)));
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
