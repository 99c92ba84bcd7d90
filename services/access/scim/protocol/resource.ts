import { invalidSyntax, invalidValue } from './problems.ts';
import { type Attribute, coreAttributes, findAttribute, type ResourceType } from './schemas.ts';

// Reads resources as directories send them: names in any case, booleans as text, single values as
// lists of one. Attributes that are not in the table are ignored.

export type Value = string | boolean | Resource | readonly Value[];
export type Resource = { [name: string]: Value };

const maxText = 2048;
const maxValues = 100;
/** Members of a group. */
export const maxMembers = 20_000;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A simple value as text; "" for none, and for objects and lists. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : '';
}

/** Reads a resource of a POST or PUT, without what only Bailiwick sets. */
export function readResource(type: ResourceType, json: unknown): Resource {
  if (!isObject(json)) throw invalidSyntax('the body must be a JSON object');
  const resource = readAttributes(coreAttributes(type), json, '');
  for (const { id, attributes } of type.extensions) {
    const [, sent] =
      Object.entries(json).find(([key]) => key.toLowerCase() === id.toLowerCase()) ?? [];
    if (sent === undefined || sent === null) continue;
    if (!isObject(sent)) throw invalidValue(`${id} must be an object`);
    const extension = readAttributes(attributes, sent, `${id}:`);
    if (Object.keys(extension).length > 0) resource[id] = extension;
  }
  assertRequired(type, resource);
  return resource;
}

/** Leaves out `emails`, since a userName that is an address serves too: `addressOf` throws. */
function assertRequired({ core }: ResourceType, resource: Resource): void {
  for (const { name, required, multiValued } of core.attributes)
    if (required && !multiValued && textOf(resource[name]).trim() === '')
      throw invalidValue(`${name} is required`);
}

function readAttributes(
  attributes: readonly Attribute[],
  json: Record<string, unknown>,
  at: string,
): Resource {
  const read: Resource = {};
  for (const [key, sent] of Object.entries(json)) {
    const attribute = findAttribute(attributes, key);
    if (!attribute || attribute.readOnly || attribute.derived) continue;
    const value = readValue(attribute, sent, at + attribute.name);
    if (value !== undefined) read[attribute.name] = value;
  }
  return read;
}

/**
 * Reads a value of an attribute; undefined if it is unassigned: null, or an empty list or object
 * (RFC 7643, section 2.5). @throws SCIM_INVALID_VALUE
 */
export function readValue(
  attribute: Attribute,
  sent: unknown,
  at = attribute.name,
): Value | undefined {
  if (sent === null || sent === undefined) return undefined;
  if (!attribute.multiValued) return readOne(attribute, only(sent), at);
  const values = (Array.isArray(sent) ? sent : [sent]).flatMap(
    (one) => readOne(attribute, one, at) ?? [],
  );
  if (values.length > (attribute.name === 'members' ? maxMembers : maxValues))
    throw invalidValue(`${at} has too many values`);
  if (values.filter((one) => isObject(one) && one['primary'] === true).length > 1)
    throw invalidValue(`${at} must have at most one primary value`);
  return values.length > 0 ? values : undefined;
}

/** The value of a list of one, which some directories send for a single value. */
const only = (sent: unknown): unknown =>
  Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;

function readOne(attribute: Attribute, sent: unknown, at: string): Value | undefined {
  if (sent === null) return undefined;
  const { type, subAttributes = [] } = attribute;
  if (type === 'complex') {
    // Entra ID sends the manager as a text.
    const object = typeof sent === 'string' ? { value: sent } : sent;
    if (!isObject(object)) throw invalidValue(`${at} must be an object`);
    const read = readAttributes(subAttributes, object, `${at}.`);
    return Object.keys(read).length > 0 ? read : undefined;
  }
  const value = isObject(sent) && 'value' in sent ? sent['value'] : sent;
  return type === 'boolean' ? readBoolean(value, at) : readText(value, at, attribute.maxLength);
}

/** Entra ID sends "True" and "False". */
function readBoolean(sent: unknown, at: string): boolean {
  if (typeof sent === 'boolean') return sent;
  const lower = typeof sent === 'string' ? sent.toLowerCase() : '';
  if (lower !== 'true' && lower !== 'false') throw invalidValue(`${at} must be true or false`);
  return lower === 'true';
}

/** PostgreSQL stores neither NUL nor halves of a character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function readText(sent: unknown, at: string, longest = maxText): string | undefined {
  const value = typeof sent === 'number' ? String(sent) : sent;
  if (typeof value !== 'string') throw invalidValue(`${at} must be a text`);
  if (value.length > longest) throw invalidValue(`${at} must have at most ${longest} characters`);
  if (!isStorable(value)) throw invalidValue(`${at} must be Unicode text without NUL`);
  return value === '' ? undefined : value;
}

/** The same text for equal values, whatever the order of their names. */
export const canonical = (value: Value): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
