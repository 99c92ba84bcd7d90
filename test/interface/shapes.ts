import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type DocumentedField, documented } from './documented.ts';

// Compares the raw JSON of a running gateway with the documented interface, and with openapi.json
// for everything that the interface does not document.

type Schema = {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly nullable?: boolean;
  readonly type?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
};

export const openApiText = readFileSync(
  new URL('../../gateway/openapi.json', import.meta.url),
  'utf8',
);
const { schemas } = (JSON.parse(openApiText) as { components: { schemas: Record<string, Schema> } })
  .components;

/**
 * Asserts that a response has the documented keys and no others, with documented types at every
 * level.
 */
export function assertDocumented(
  fields: readonly DocumentedField[],
  body: unknown,
  where: string,
): void {
  assertObject(body, where);
  assert.deepEqual(Object.keys(body).sort(), fields.map(({ name }) => name).sort(), where);
  for (const { name, type } of fields) assertType(type, body[name], `${where}.${name}`);
}

function assertType(type: string, value: unknown, where: string): void {
  const itemType = /^Page<(.+)>$/.exec(type)?.[1];
  if (itemType !== undefined) assertPage(itemType, value, where);
  else if (type === 'bool') assert.equal(typeof value, 'boolean', where);
  else if (type === 'id')
    assert.match(String(value), /^([a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25})?$/, where);
  else if (type === 'bytes')
    assert.match(
      String(value),
      /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
      where,
    );
  else if (type === 'string' || type === 'path') assert.equal(typeof value, 'string', where);
  else {
    assertObject(value, where);
    const fields = documented.records[type];
    assert.ok(fields, `${where}: the interface has no record ${type}`);
    for (const field of fields) assertType(field.type, value[field.name], `${where}.${field.name}`);
  }
}

function assertPage(itemType: string, page: unknown, where: string): void {
  assertObject(page, where);
  assert.deepEqual(Object.keys(page).sort(), ['Items', 'NextCursor'], where);
  assert.equal(typeof page['NextCursor'], 'string', where);
  const items = page['Items'];
  assert.ok(Array.isArray(items) && items.length > 0, `${where} has at least one item to check`);
  for (const entry of items) assertType(itemType, entry, `${where}.Items`);
}

/**
 * Asserts that a value matches a schema of openapi.json: only times and optional records may be
 * absent, no key may be added.
 */
export function assertMatches(schema: Schema | undefined, value: unknown, where: string): void {
  assert.ok(schema, `${where} is in openapi.json`);
  if (schema.nullable && value === null) return;
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference !== undefined)
    return assertMatches(schemas[reference.replace('#/components/schemas/', '')], value, where);
  if (schema.type === 'array') {
    assert.ok(Array.isArray(value), where);
    for (const entry of value) assertMatches(schema.items, entry, `${where}[]`);
  } else if (schema.type === 'object') assertObjectMatches(schema, value, where);
  else if (schema.type === 'integer') assert.ok(Number.isInteger(value), where);
  else assert.equal(typeof value, schema.type, where);
  if (schema.format === 'date-time')
    assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, where);
}

export const schemaOf = (name: string): Schema | undefined => schemas[name];

function assertObjectMatches(
  { properties = {}, additionalProperties, required = [] }: Schema,
  value: unknown,
  where: string,
): void {
  assertObject(value, where);
  for (const [key, field] of Object.entries(value))
    assertMatches(properties[key] ?? additionalProperties, field, `${where}.${key}`);
  for (const key of required) assert.ok(key in value, `${where}.${key} is present`);
}

function assertObject(value: unknown, where: string): asserts value is Record<string, unknown> {
  assert.ok(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    `${where} is an object`,
  );
}
