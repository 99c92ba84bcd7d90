import { invalidFilter } from './problems.ts';
import { isStorable } from './resource.ts';
import {
  type Attribute,
  coreAttributes,
  findAttribute,
  isForeignName,
  type ResourceType,
} from './schemas.ts';

// Filters (RFC 7644, section 3.4.2.2): a reader by recursive descent, in time linear in the text.
// Names are resolved against the schemas, so that a filter of unknown attributes is refused.

const maxLength = 8192;
const maxTerms = 100;
const maxDepth = 16;

const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
type Operator = (typeof operators)[number];

/** An attribute, or a sub-attribute of it, of the core schema or of an extension. */
export type Path = { extension: string; attribute: Attribute; sub: Attribute | undefined };

export type Filter =
  | { kind: 'and' | 'or'; terms: readonly Filter[] }
  | { kind: 'not'; term: Filter }
  | { kind: 'present'; path: Path }
  | { kind: 'compare'; path: Path; operator: Operator; value: string | boolean | null }
  /** A value path: one value of the list satisfies the filter. */
  | { kind: 'some'; path: Path; filter: Filter };

/** How a reader resolves a name. */
export type Resolve = (name: string) => Path | undefined;

/** An attribute of an extension that is not stored, with any parts. */
const foreign = (name: string): Attribute => ({
  name,
  type: 'complex',
  description: '',
  multiValued: true,
  unstored: true,
});

/**
 * Resolves names of a resource: `userName`, `name.givenName`, `urn:…:User:department`. Every
 * well-formed name of an extension names an attribute, most of which are not stored.
 */
export const resolverOf =
  (type: ResourceType): Resolve =>
  (name) => {
    if (isForeignName(type, name))
      return { extension: name, attribute: foreign(name), sub: undefined };
    const schemas = [type.core, ...type.extensions];
    const lower = name.toLowerCase();
    const schema = schemas.find(({ id }) => lower.startsWith(`${id.toLowerCase()}:`));
    const rest = schema ? name.slice(schema.id.length + 1) : name;
    const isExtension = schema !== undefined && schema !== type.core;
    const attributes = isExtension ? schema.attributes : coreAttributes(type);
    const [first = '', second, ...more] = rest.split('.');
    const attribute =
      findAttribute(attributes, first) ??
      (isExtension && attributeName.test(first) ? foreign(first) : undefined);
    if (!attribute || more.length > 0) return undefined;
    const sub = second === undefined ? undefined : partOf(attribute, second);
    if (second !== undefined && !sub) return undefined;
    return { extension: isExtension ? schema.id : '', attribute, sub };
  };

const attributeName = /^[a-z$][\w$-]*$/i;

/** A sub-attribute. Any name is one of an attribute of an extension. */
function partOf(
  { subAttributes = [], unstored, open }: Attribute,
  name: string,
): Attribute | undefined {
  const isOpen = open === true || (unstored === true && subAttributes.length === 0);
  const attribute = findAttribute(subAttributes, name);
  return attribute ?? (isOpen && attributeName.test(name) ? foreign(name) : undefined);
}

/** Resolves names within the values of an attribute. */
const resolverWithin =
  (outer: Attribute): Resolve =>
  (name) => {
    const attribute = partOf(outer, name);
    return attribute && { extension: '', attribute, sub: undefined };
  };

const token = /\s*(?:(?<mark>[()[\]])|(?<text>"(?:[^"\\]|\\.)*")|(?<word>[^\s()[\]"]+))/y;

type Token = { mark?: string; text?: string; word?: string };

function tokensOf(text: string): Token[] {
  if (text.length > maxLength)
    throw invalidFilter(`the filter must have at most ${maxLength} characters`);
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (const end = text.trimEnd().length; token.lastIndex < end; ) {
    const match = token.exec(text);
    if (!match?.groups) throw invalidFilter('the filter has an unterminated string');
    tokens.push(match.groups);
  }
  return tokens;
}

/** Where a reader stands, and how many terms it has read. */
type Reader = { tokens: readonly Token[]; next: number; terms: number };

/** Reads a filter. @throws SCIM_INVALID_FILTER */
export function readFilter(text: string, resolve: Resolve): Filter {
  const reader = { tokens: tokensOf(text), next: 0, terms: 0 };
  const filter = readNested(reader, resolve, 0);
  if (reader.next < reader.tokens.length) throw invalidFilter('unexpected input after the filter');
  return filter;
}

const wordAt = ({ tokens, next }: Reader): string | undefined => tokens[next]?.word?.toLowerCase();

function takeMark(reader: Reader, mark: string): boolean {
  if (reader.tokens[reader.next]?.mark !== mark) return false;
  reader.next += 1;
  return true;
}

function expectMark(reader: Reader, mark: string): void {
  if (!takeMark(reader, mark)) throw invalidFilter(`the filter is missing a "${mark}"`);
}

function readNested(reader: Reader, resolve: Resolve, depth: number): Filter {
  if (depth > maxDepth) throw invalidFilter(`the filter must nest at most ${maxDepth} levels`);
  return readJoined(reader, 'or', () =>
    readJoined(reader, 'and', () => readTerm(reader, resolve, depth)),
  );
}

/** Terms that are joined by a word: `and` binds more tightly than `or`. */
function readJoined(reader: Reader, kind: 'and' | 'or', read: () => Filter): Filter {
  const first = read();
  const terms = [first];
  while (wordAt(reader) === kind) {
    reader.next += 1;
    terms.push(read());
  }
  return terms.length === 1 ? first : { kind, terms };
}

function readTerm(reader: Reader, resolve: Resolve, depth: number): Filter {
  reader.terms += 1;
  if (reader.terms > maxTerms)
    throw invalidFilter(`the filter must have at most ${maxTerms} terms`);
  if (wordAt(reader) === 'not' && reader.tokens[reader.next + 1]?.mark === '(') {
    reader.next += 1;
    return { kind: 'not', term: readTerm(reader, resolve, depth + 1) };
  }
  if (!takeMark(reader, '(')) return readComparison(reader, resolve, depth);
  const inner = readNested(reader, resolve, depth + 1);
  expectMark(reader, ')');
  return inner;
}

function readComparison(reader: Reader, resolve: Resolve, depth: number): Filter {
  const name = reader.tokens[reader.next]?.word;
  if (name === undefined) throw invalidFilter('the filter is missing the name of an attribute');
  const path = resolve(name);
  if (!path) throw invalidFilter(`there is no attribute ${name}`);
  reader.next += 1;
  if (!takeMark(reader, '[')) return readTest(reader, path, name);
  const within = resolverWithin(path.attribute);
  const inner = readNested(reader, within, depth + 1);
  expectMark(reader, ']');
  // `emails[type eq "work"].value eq "…"`: both are about one value of the list.
  const rest = reader.tokens[reader.next]?.word;
  if (!rest?.startsWith('.')) return { kind: 'some', path, filter: inner };
  const sub = within(rest.slice(1));
  if (!sub) throw invalidFilter(`there is no attribute ${name}${rest}`);
  reader.next += 1;
  const both = [inner, readTest(reader, sub, rest)];
  return { kind: 'some', path, filter: { kind: 'and', terms: both } };
}

function readTest(reader: Reader, path: Path, name: string): Filter {
  const operator = wordAt(reader);
  reader.next += 1;
  if (operator === 'pr') return { kind: 'present', path };
  const comparator = operators.find((one) => one === operator);
  if (!comparator) throw invalidFilter(`${name} must be followed by an operator such as eq`);
  return { kind: 'compare', path, operator: comparator, value: readValue(reader) };
}

function readValue(reader: Reader): string | boolean | null {
  const { text, word } = reader.tokens[reader.next] ?? {};
  reader.next += 1;
  if (text !== undefined) return unquote(text);
  const lower = word?.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  if (lower === 'null') return null;
  if (word !== undefined && /^-?\d+(\.\d+)?$/.test(word)) return word;
  throw invalidFilter('a value must be a string in quotes, a number, true, false or null');
}

function unquote(text: string): string {
  let content: string;
  try {
    content = String(JSON.parse(text));
  } catch {
    throw invalidFilter('a string of the filter has an invalid escape');
  }
  if (!isStorable(content)) throw invalidFilter('a string of the filter must not contain NUL');
  return content;
}

/** The path of a PATCH operation: an attribute, the values of it that match, a sub-attribute. */
export type PatchPath = Path & { filter: Filter | undefined };

/** Reads the path of a PATCH operation; undefined if it names no attribute. */
export function readPath(text: string, resolve: Resolve): PatchPath | undefined {
  const open = text.indexOf('[');
  if (open < 0) {
    const path = resolve(text.trim());
    return path && { ...path, filter: undefined };
  }
  const path = resolve(text.slice(0, open).trim());
  const close = text.lastIndexOf(']');
  if (!path || path.sub || !path.attribute.multiValued || close < open) return undefined;
  const filter = readFilter(text.slice(open + 1, close), resolverWithin(path.attribute));
  const rest = text.slice(close + 1).trim();
  if (rest === '') return { ...path, filter };
  const sub = rest.startsWith('.') ? partOf(path.attribute, rest.slice(1)) : undefined;
  return sub && { ...path, sub, filter };
}

/** The text that a filter requires an attribute to equal; undefined if it requires none. */
export function equalTo(filter: Filter, name: string, sub?: string): string | undefined {
  if (filter.kind === 'and') {
    for (const term of filter.terms) {
      const text = equalTo(term, name, sub);
      if (text !== undefined) return text;
    }
    return undefined;
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return undefined;
  const { path, value } = filter;
  const isNamed = path.extension === '' && path.attribute.name === name && path.sub?.name === sub;
  return isNamed && typeof value === 'string' ? value : undefined;
}
