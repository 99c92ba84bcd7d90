import { element, spans } from './docs-markup.js';

// Lists the fields of a schema. Nested records are rendered when the reader opens them.

/**
 * The parts of openapi.json that the reference shows.
 * @typedef {{
 *   $ref?: string, allOf?: Schema[], type?: string, format?: string, description?: string,
 *   properties?: Record<string, Schema>, required?: string[], items?: Schema, readOnly?: boolean,
 *   minLength?: number, maxLength?: number, minimum?: number, maximum?: number, maxItems?: number,
 *   pattern?: string, enum?: (string | null)[],
 * }} Schema
 * @typedef {{
 *   schema: Schema, example?: unknown, examples?: Record<string, { summary: string, value: unknown }>,
 * }} Media
 * @typedef {{ $ref?: string, description?: string, content?: Record<string, Media> }} Response
 * @typedef {{
 *   operationId: string, description: string, tags: string[], security: unknown[],
 *   requestBody?: { content: Record<string, Media> }, responses: Record<string, Response>,
 * }} Operation
 * @typedef {{
 *   info: { title: string, description: string }, tags: { name: string }[],
 *   paths: Record<string, { get?: Operation, post?: Operation }>,
 *   components: { responses: Record<string, Response>, schemas: Record<string, Schema> },
 * }} Api
 */

/**
 * Resolves a $ref, also one inside allOf, which adds a description.
 * @param {Api} api
 * @param {Schema} [schema]
 * @returns {Schema}
 */
export function resolve(api, schema = {}) {
  const { $ref } = schema;
  if ($ref) return resolve(api, api.components.schemas[$ref.split('/').at(-1) ?? '']);
  if (!schema.allOf || schema.properties) return schema;
  const { allOf, ...own } = schema;
  return { ...Object.assign({}, ...allOf.map((part) => resolve(api, part))), ...own };
}

/**
 * @param {Api} api
 * @param {Schema} [schema]
 */
export function fieldList(api, schema) {
  const { properties = {}, required = [] } = resolve(api, schema);
  const fields = Object.entries(properties);
  if (fields.length === 0) return element('p', {}, 'No fields.');
  return element(
    'ul',
    { class: 'fields' },
    ...fields.map(([name, property]) => field(api, name, property, required.includes(name))),
  );
}

/**
 * @param {Api} api
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} isRequired
 * @returns {HTMLElement}
 */
function field(api, name, schema, isRequired) {
  const full = resolve(api, schema);
  const item = full.type === 'array' ? resolve(api, full.items) : full;
  const notes = [typeOf(full, item), isRequired && 'required', schema.readOnly && 'read-only']
    .filter(Boolean)
    .join(', ');
  /** @type {HTMLElement[]} */
  const parts = [element('p', {}, element('code', {}, name), ` ${notes}`)];
  const description = schema.description ?? full.description;
  if (description) parts.push(element('p', { class: 'quiet' }, ...spans(description)));
  const rules = rulesOf(full, item);
  if (rules) parts.push(element('p', { class: 'quiet' }, ...spans(rules)));
  if (item.properties) parts.push(nested(api, name, item));
  return element('li', {}, ...parts);
}

/**
 * @param {Api} api
 * @param {string} name
 * @param {Schema} schema
 */
function nested(api, name, schema) {
  const details = element('details', {}, element('summary', {}, `Fields of ${name}`));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(fieldList(api, schema));
  });
  return details;
}

/** @param {Schema} schema */
const nameOf = ({ type, format }) =>
  format && format !== 'int32' ? `${type} (${format})` : (type ?? 'any value');

/**
 * @param {Schema} schema
 * @param {Schema} item
 */
function typeOf(schema, item) {
  return schema.type === 'array' ? `array of ${nameOf(item)}` : nameOf(schema);
}

/**
 * @param {Schema} schema
 * @param {Schema} item
 */
function rulesOf(
  { minLength, maxLength, minimum, maximum, maxItems, pattern, enum: values },
  item,
) {
  const allowed = values ?? item.enum;
  return [
    allowed &&
      `One of ${allowed
        .filter((value) => value !== null && value !== '')
        .map((value) => `\`${value}\``)
        .join(', ')}.`,
    minLength && minLength > 1 && `At least ${minLength} characters.`,
    maxLength && `At most ${maxLength} characters.`,
    minimum !== undefined && `At least ${minimum}.`,
    maximum !== undefined && `At most ${maximum}.`,
    maxItems && `At most ${maxItems} items.`,
    (pattern ?? item.pattern) && `Matches \`${pattern ?? item.pattern}\`.`,
  ]
    .filter(Boolean)
    .join(' ');
}
