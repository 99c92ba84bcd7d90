import { type Intake, noteRefused, noteUnstored, readPart } from './intake.ts';
import { invalidSyntax, invalidValue } from './problems.ts';
import {
  type Attribute,
  coreAttributes,
  findAttribute,
  isForeignName,
  type ResourceType,
} from './schemas.ts';

// Reads resources as directories send them: names in any case, booleans as text, single values as
// lists of one. Attributes of RFC 7643 and of extensions that are not stored are noted and ignored.

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

/**
 * Reads a resource of a POST or PUT, without what only Bailiwick sets. `stored`: the present values,
 * which stay where a refused part is left out.
 */
export function readResource(
  type: ResourceType,
  json: unknown,
  intake: Intake,
  stored: Resource = {},
): Resource {
  if (!isObject(json)) throw invalidSyntax('the body must be a JSON object');
  const extensions = new Map(type.extensions.map((one) => [one.id.toLowerCase(), one]));
  const core: Record<string, unknown> = {};
  const resource: Resource = {};
  for (const [key, input] of Object.entries(json)) {
    const extension = extensions.get(key.toLowerCase());
    if (extension)
      readPart(intake, extension.id, () => {
        const { id } = extension;
        const fallback = isObject(stored[id]) ? stored[id] : {};
        if (input === undefined || input === null) return;
        if (!isObject(input)) {
          if (intake.leavesOut && id in stored) resource[id] = fallback;
          throw invalidValue(`${id} must be an object`);
        }
        const read = readAttributes(
          { ...extension, isOpen: true, fallback },
          input,
          `${id}:`,
          intake,
        );
        if (Object.keys(read).length > 0) resource[id] = read;
      });
    else if (isForeignName(type, key)) noteUnstored(intake, key, input);
    else core[key] = input;
  }
  const table = { attributes: coreAttributes(type), fallback: stored };
  Object.assign(resource, readAttributes(table, core, '', intake));
  assertRequired(type, resource, intake, stored);
  // An absent attribute is one without a value (RFC 7643, section 2.5).
  for (const { name } of type.core.attributes)
    if (resource[name] === undefined) intake.emptied.add(name);
  return resource;
}

/** Leaves out `emails`, since a userName that is an address serves too: `addressOf` throws. */
function assertRequired(
  { core }: ResourceType,
  resource: Resource,
  intake: Intake,
  stored: Resource,
): void {
  for (const { name, required, multiValued } of core.attributes) {
    if (!required || multiValued || textOf(resource[name]).trim() !== '') continue;
    const message = `${name} is required`;
    const fallback = intake.leavesOut ? stored[name] : undefined;
    if (fallback === undefined) throw invalidValue(message);
    resource[name] = fallback;
    noteRefused(intake, name, message);
  }
}

type Table = {
  attributes: readonly Attribute[];
  /** Whether unknown names are ignored, as those of extensions are. */
  isOpen?: boolean;
  /** The present values, for attributes that can be left out by themselves. */
  fallback?: Resource;
};

function readAttributes(
  { attributes, isOpen = false, fallback }: Table,
  json: Record<string, unknown>,
  at: string,
  intake: Intake,
): Resource {
  const read: Resource = {};
  const readAttribute = (key: string, input: unknown): void => {
    const attribute = findAttribute(attributes, key);
    if (!attribute && !isOpen)
      throw invalidSyntax(`there is no attribute ${`${at}${key}`.slice(0, 200)}`);
    if (!attribute || attribute.unstored)
      return noteUnstored(intake, at + (attribute?.name ?? key), input);
    if (attribute.readOnly || attribute.derived) return;
    // Stays if the sent value is refused and left out.
    const present = intake.leavesOut ? fallback?.[attribute.name] : undefined;
    if (present !== undefined) read[attribute.name] = present;
    const value = readValue(attribute, input, intake, at + attribute.name);
    if (value !== undefined) read[attribute.name] = value;
    else delete read[attribute.name];
  };
  for (const [key, input] of Object.entries(json))
    if (fallback) readPart(intake, at + key, () => readAttribute(key, input));
    else readAttribute(key, input);
  return read;
}

/**
 * Reads a value of an attribute; undefined if it is unassigned: null, or an empty list or object
 * (RFC 7643, section 2.5). @throws SCIM_INVALID_VALUE
 */
export function readValue(
  attribute: Attribute,
  input: unknown,
  intake: Intake,
  at = attribute.name,
): Value | undefined {
  if (input === null || input === undefined) return undefined;
  if (!attribute.multiValued) return readOne(attribute, only(input), intake, at);
  const read = (Array.isArray(input) ? input : [input]).flatMap(
    (one) => readOne(attribute, one, intake, at) ?? [],
  );
  const values = hasValues(attribute) ? read.filter(isValue) : read;
  if (values.length < read.length) intake.emptied.add(attribute.name);
  if (values.length > (attribute.name === 'members' ? maxMembers : maxValues))
    throw invalidValue(`${at} has too many values`);
  if (values.filter((one) => isObject(one) && one['primary'] === true).length > 1)
    throw invalidValue(`${at} must have at most one primary value`);
  return values.length > 0 ? values : undefined;
}

/** A list of things that are nothing without their value, such as an address or a number. */
const hasValues = ({ name, subAttributes = [] }: Attribute): boolean =>
  name !== 'members' && subAttributes.some((sub) => sub.name === 'value');

const isValue = (one: Value): boolean => !isObject(one) || textOf(one['value']).trim() !== '';

/** The value of a list of one, which some directories send for a single value. */
const only = (input: unknown): unknown =>
  Array.isArray(input) && input.length === 1 ? input[0] : input;

function readOne(
  attribute: Attribute,
  input: unknown,
  intake: Intake,
  at: string,
): Value | undefined {
  if (input === null) return undefined;
  const { type, subAttributes = [] } = attribute;
  if (type === 'complex') {
    // Entra ID sends the manager as a text.
    const object = typeof input === 'string' ? { value: input } : input;
    if (!isObject(object)) throw invalidValue(`${at} must be an object`);
    const read = readAttributes(
      { attributes: subAttributes, isOpen: attribute.open === true },
      object,
      `${at}.`,
      intake,
    );
    return Object.keys(read).length > 0 ? read : undefined;
  }
  const simple = isObject(input) && 'value' in input ? input['value'] : input;
  return type === 'boolean' ? readBoolean(simple, at) : readText(simple, at, attribute.maxLength);
}

/** Entra ID sends "True" and "False". */
function readBoolean(input: unknown, at: string): boolean {
  if (typeof input === 'boolean') return input;
  const lower = typeof input === 'string' ? input.toLowerCase() : '';
  if (lower !== 'true' && lower !== 'false') throw invalidValue(`${at} must be true or false`);
  return lower === 'true';
}

/** PostgreSQL stores neither NUL nor halves of a character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function readText(input: unknown, at: string, longest = maxText): string | undefined {
  const text = typeof input === 'number' ? String(input) : input;
  if (typeof text !== 'string') throw invalidValue(`${at} must be a string`);
  if (text.length > longest) throw invalidValue(`${at} must have at most ${longest} characters`);
  if (!isStorable(text)) throw invalidValue(`${at} must be Unicode text without NUL`);
  return text === '' ? undefined : text;
}

/** The same text for equal values, whatever the order of their names. */
export const canonical = (value: Value): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
