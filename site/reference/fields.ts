import { code, table } from '../markdown.ts';
import { type Api, recordOf, resolveSchema, type Schema } from './api.ts';

/** A record's link, such as `/api/groups.md#group-record`. */
export type LinkTo = (record: string) => string;

/** The fields of a request, nested ones with their path. Read-only fields are left out. */
export function requestTable(api: Api, schema: Schema): string {
  const rows = requestRows(api, schema, '', []);
  return rows.length === 0 ? 'The body is `{}`.' : table(['Field', 'Type', 'About'], rows);
}

function requestRows(
  api: Api,
  schema: Schema,
  prefix: string,
  above: readonly string[],
): string[][] {
  const { properties = {}, required = [] } = resolveSchema(api, schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const { found, item } = resolveField(api, field);
    if (field.readOnly || found.readOnly) return [];
    const at = `${prefix}${name}`;
    const record = recordOf(found.type === 'array' ? (found.items ?? {}) : field) ?? '';
    // A plan holds the requests of other operations, each below the operation's name.
    const isRequest = api.paths[`/${name}`] !== undefined;
    const about = [
      required.includes(name) && 'Required.',
      isRequest && `The request of ${code(name)}.`,
      aboutField(api, field),
    ];
    const row = [code(at), typeOf(api, field), about.filter(Boolean).join(' ')];
    if (!item.properties || isRequest || above.includes(record)) return [row];
    const nested = `${at}${found.type === 'array' ? '[]' : ''}.`;
    return [row, ...requestRows(api, item, nested, [...above, record])];
  });
}

/** The fields of a response or a record. Records in it are links. */
export function recordTable(api: Api, schema: Schema, link: LinkTo): string {
  const { properties = {} } = resolveSchema(api, schema);
  const rows = Object.entries(properties).map(([name, field]) => [
    code(name),
    typeOf(api, field, link),
    aboutField(api, field),
  ]);
  return rows.length === 0 ? 'The body has no fields.' : table(['Field', 'Type', 'About'], rows);
}

/** Every record that a response shows, itself or in another record. */
export function recordsIn(api: Api, schema: Schema, found = new Set<string>()): Set<string> {
  const own = resolveSchema(api, schema);
  for (const field of [
    ...Object.values(own.properties ?? {}),
    own.items,
    own.additionalProperties,
  ]) {
    if (typeof field !== 'object') continue;
    const record = recordOf(field);
    if (record !== undefined && found.has(record)) continue;
    if (record !== undefined) found.add(record);
    recordsIn(api, field, found);
  }
  return found;
}

function resolveField(api: Api, field: Schema): { found: Schema; item: Schema } {
  const found = resolveSchema(api, field);
  return { found, item: found.type === 'array' ? resolveSchema(api, found.items ?? {}) : found };
}

function typeOf(api: Api, field: Schema, link?: LinkTo): string {
  const { found, item } = resolveField(api, field);
  if (found.type === 'array') return `array of ${nameType(found.items ?? {}, item, link)}`;
  const values = found.additionalProperties;
  if (typeof values === 'object')
    return `map of ${nameType(values, resolveSchema(api, values), link)}`;
  return nameType(field, found, link);
}

function nameType(schema: Schema, { type, format }: Schema, link?: LinkTo): string {
  const record = recordOf(schema);
  if (record !== undefined && link) return `[${record}](${link(record)})`;
  return format && format !== 'int32' ? `${type} (${format})` : (type ?? 'any value');
}

function aboutField(api: Api, field: Schema): string {
  const { found, item } = resolveField(api, field);
  return [field.description ?? (recordOf(field) ? '' : found.description), rulesOf(found, item)]
    .filter(Boolean)
    .join(' ');
}

function rulesOf(field: Schema, item: Schema): string {
  const { minLength = 0, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = field;
  const allowed = (field.enum ?? item.enum)?.filter((value) => value !== null && value !== '');
  const pattern = field.pattern ?? item.pattern;
  return [
    allowed && `One of ${allowed.map((value) => code(String(value))).join(', ')}.`,
    field.not?.enum && `Not ${field.not.enum.map(code).join(', ')}.`,
    minLength > 1 && `At least ${minLength} characters.`,
    maxLength && `At most ${maxLength} characters.`,
    minimum !== undefined && `At least ${minimum}.`,
    maximum !== undefined && `At most ${maximum}.`,
    minItems && `At least ${minItems} ${minItems === 1 ? 'item' : 'items'}.`,
    maxItems && `At most ${maxItems} items.`,
    maxProperties && `At most ${maxProperties} keys.`,
    pattern && aboutPattern(pattern),
  ]
    .filter(Boolean)
    .join(' ');
}

const identifier = /^\^\(*([a-z|]+)\)?_\[0-7\]\[0-9a-hjkmnp-tv-z\]\{25\}\)*\??\$$/;

/** A pattern, or for an identifier its prefix. */
function aboutPattern(pattern: string): string {
  const prefixes = identifier.exec(pattern)?.[1]?.split('|');
  if (!prefixes) return `Matches ${code(pattern)}.`;
  return `An ID that begins with ${prefixes.map((prefix) => code(`${prefix}_`)).join(' or ')}.`;
}
