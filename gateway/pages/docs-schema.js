import { element, spans } from './docs-markup.js';

// Lists the fields of a schema. Nested records are rendered when the reader opens them.

/** Resolves a $ref, also one inside allOf, which adds a description. */
export function resolve(api, schema = {}) {
  const { $ref } = schema;
  if ($ref)
    return resolve(
      api,
      $ref
        .slice(2)
        .split('/')
        .reduce((node, key) => node[key], api),
    );
  if (!schema.allOf || schema.properties) return schema;
  const { allOf, ...own } = schema;
  return { ...Object.assign({}, ...allOf.map((part) => resolve(api, part))), ...own };
}

export function fieldList(api, schema) {
  const { properties = {}, required = [] } = resolve(api, schema);
  const names = Object.keys(properties);
  if (names.length === 0) return element('p', {}, 'No fields.');
  return element(
    'ul',
    { class: 'fields' },
    ...names.map((name) => field(api, name, properties[name], required.includes(name))),
  );
}

function field(api, name, schema, isRequired) {
  const found = resolve(api, schema);
  const item = found.type === 'array' ? resolve(api, found.items) : found;
  const notes = [typeOf(found, item), isRequired && 'required', schema.readOnly && 'read-only']
    .filter(Boolean)
    .join(', ');
  const parts = [element('p', {}, element('code', {}, name), ` ${notes}`)];
  if (schema.description ?? found.description)
    parts.push(element('p', { class: 'quiet' }, ...spans(schema.description ?? found.description)));
  const rules = rulesOf(found, item);
  if (rules) parts.push(element('p', { class: 'quiet' }, ...spans(rules)));
  if (item.properties) parts.push(nested(api, name, item));
  return element('li', {}, ...parts);
}

function nested(api, name, schema) {
  const details = element('details', {}, element('summary', {}, `Fields of ${name}`));
  details.addEventListener(
    'toggle',
    () => details.open && details.children.length === 1 && details.append(fieldList(api, schema)),
  );
  return details;
}

function typeOf(schema, item) {
  const type = ({ type, format }) =>
    format && format !== 'int32' ? `${type} (${format})` : (type ?? 'any value');
  return schema.type === 'array' ? `array of ${type(item)}` : type(schema);
}

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
    minLength > 1 && `At least ${minLength} characters.`,
    maxLength && `At most ${maxLength} characters.`,
    minimum !== undefined && `At least ${minimum}.`,
    maximum !== undefined && `At most ${maximum}.`,
    maxItems && `At most ${maxItems} items.`,
    (pattern ?? item.pattern) && `Matches \`${pattern ?? item.pattern}\`.`,
  ]
    .filter(Boolean)
    .join(' ');
}
