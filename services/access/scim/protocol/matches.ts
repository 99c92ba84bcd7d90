import type { Filter, Path } from './filter.ts';
import { isObject, type Resource, textOf, type Value } from './resource.ts';
import type { Attribute } from './schemas.ts';

/** Whether a resource, or one value of a list, satisfies a filter (RFC 7644, section 3.4.2.2). */
export function matches(filter: Filter, resource: Resource): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every((term) => matches(term, resource));
    case 'or':
      return filter.terms.some((term) => matches(term, resource));
    case 'not':
      return !matches(filter.term, resource);
    case 'present':
      return valuesAt(resource, filter.path).length > 0;
    case 'some':
      return valuesAt(resource, { ...filter.path, sub: undefined }).some(
        (element) => isObject(element) && matches(filter.filter, element),
      );
    case 'compare':
      return compares(filter, resource);
  }
}

/** The values of an attribute: none, one, or those of a list. */
export function valuesAt(resource: Resource, { extension, attribute, sub }: Path): Value[] {
  const holder = extension === '' ? resource : resource[extension];
  const content = isObject(holder) ? holder[attribute.name] : undefined;
  const values: readonly Value[] =
    content === undefined ? [] : Array.isArray(content) ? content : [content];
  if (!sub) return [...values];
  return values.flatMap((element) => (isObject(element) ? (element[sub.name] ?? []) : []));
}

type Comparison = Extract<Filter, { kind: 'compare' }>;

function compares({ path, operator, value }: Comparison, resource: Resource): boolean {
  const compared = path.sub ?? path.attribute;
  const values = valuesAt(resource, path).map(simple);
  if (value === null) return operator === 'ne' ? values.length > 0 : values.length === 0;
  const operand = keyOf(value, compared);
  const isSome = (test: (key: string) => boolean) =>
    values.some((one) => test(keyOf(one, compared)));
  switch (operator) {
    case 'eq':
      return isSome((key) => key === operand);
    case 'ne':
      return !isSome((key) => key === operand);
    case 'co':
      return isSome((key) => key.includes(operand));
    case 'sw':
      return isSome((key) => key.startsWith(operand));
    case 'ew':
      return isSome((key) => key.endsWith(operand));
    case 'gt':
      return isSome((key) => key > operand);
    case 'ge':
      return isSome((key) => key >= operand);
    case 'lt':
      return isSome((key) => key < operand);
    case 'le':
      return isSome((key) => key <= operand);
  }
}

/** A value of a list stands for its sub-attribute `value` (RFC 7643, section 2.4). */
const simple = (element: Value): string | boolean => {
  const inner = isObject(element) ? element['value'] : element;
  return typeof inner === 'boolean' ? inner : textOf(inner);
};

/** The form in which a value is compared: a time as UTC, a text in lower case unless it is exact. */
function keyOf(simpleValue: string | boolean, { type, caseExact }: Attribute): string {
  const plain = String(simpleValue);
  if (type === 'dateTime') {
    const time = new Date(plain);
    return Number.isNaN(time.getTime()) ? plain : time.toISOString();
  }
  return caseExact ? plain : plain.toLowerCase();
}
