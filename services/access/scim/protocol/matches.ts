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
        (value) => isObject(value) && matches(filter.filter, value),
      );
    case 'compare':
      return compares(filter, resource);
  }
}

/** The values of an attribute: none, one, or those of a list. */
export function valuesAt(resource: Resource, { extension, attribute, sub }: Path): Value[] {
  const holder = extension === '' ? resource : resource[extension];
  const found = isObject(holder) ? holder[attribute.name] : undefined;
  const values: readonly Value[] =
    found === undefined ? [] : Array.isArray(found) ? found : [found];
  if (!sub) return [...values];
  return values.flatMap((value) => (isObject(value) ? (value[sub.name] ?? []) : []));
}

type Comparison = Extract<Filter, { kind: 'compare' }>;

function compares({ path, operator, value }: Comparison, resource: Resource): boolean {
  const compared = path.sub ?? path.attribute;
  const values = valuesAt(resource, path).map(simple);
  if (value === null) return operator === 'ne' ? values.length > 0 : values.length === 0;
  const wanted = keyOf(value, compared);
  const isSome = (test: (key: string) => boolean) =>
    values.some((one) => test(keyOf(one, compared)));
  switch (operator) {
    case 'eq':
      return isSome((key) => key === wanted);
    case 'ne':
      return !isSome((key) => key === wanted);
    case 'co':
      return isSome((key) => key.includes(wanted));
    case 'sw':
      return isSome((key) => key.startsWith(wanted));
    case 'ew':
      return isSome((key) => key.endsWith(wanted));
    case 'gt':
      return isSome((key) => key > wanted);
    case 'ge':
      return isSome((key) => key >= wanted);
    case 'lt':
      return isSome((key) => key < wanted);
    case 'le':
      return isSome((key) => key <= wanted);
  }
}

/** A value of a list stands for its sub-attribute `value` (RFC 7643, section 2.4). */
const simple = (value: Value): string | boolean => {
  const inner = isObject(value) ? value['value'] : value;
  return typeof inner === 'boolean' ? inner : textOf(inner);
};

/** The form in which a value is compared: a time as UTC, a text in lower case unless it is exact. */
function keyOf(value: string | boolean, { type, caseExact }: Attribute): string {
  const plain = String(value);
  if (type === 'dateTime') {
    const time = new Date(plain);
    return Number.isNaN(time.getTime()) ? plain : time.toISOString();
  }
  return caseExact ? plain : plain.toLowerCase();
}
