import { type DescField, getExtension, getOption, hasExtension } from '@bufbuild/protobuf';
import {
  type FieldRules,
  field as fieldRules,
  type StringRules,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import {
  address,
  domain,
  event_type,
  id,
  path,
  permission,
  slug,
} from '../gen/bailiwick/options/v1/rules_pb.ts';
import type { JsonObject } from './types.ts';

const segment = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}';

/** The formats of rules.proto as far as JSON Schema can say them. `empty` is whether "" passes as well. */
function stringFormat(rules: StringRules, empty: boolean): JsonObject {
  const pattern = (source: string) => ({ pattern: empty ? `^(${source})?$` : `^${source}$` });
  if (hasExtension(rules, id))
    return pattern(`${getExtension(rules, id)}_[0-7][0-9a-hjkmnp-tv-z]{25}`);
  if (hasExtension(rules, path))
    return { ...pattern(`/?${segment}(/${segment}){0,7}`), maxLength: 255 };
  if (hasExtension(rules, slug)) return pattern('[a-z][a-z0-9-]{1,62}');
  if (hasExtension(rules, permission))
    return pattern('([*]|[a-z][a-z0-9_-]*([.:][a-z0-9_-]+){0,4}[.:]([a-z0-9_-]+|[*]))');
  if (hasExtension(rules, event_type))
    return { ...pattern('[a-z0-9_]+([.][a-z0-9_]+)*'), maxLength: 64 };
  // No formats for these two: validators differ on international names, which are welcome here.
  if (hasExtension(rules, address)) return { maxLength: 254 };
  if (hasExtension(rules, domain)) return { maxLength: 253 };
  return {};
}

function stringRules(rules: StringRules, required: boolean, empty: boolean): JsonObject {
  return {
    ...(required ? { minLength: 1 } : {}),
    ...(rules.minLen > 0n ? { minLength: Number(rules.minLen) } : {}),
    ...(rules.maxLen > 0n ? { maxLength: Number(rules.maxLen) } : {}),
    ...(rules.in.length > 0 ? { enum: empty ? ['', ...rules.in] : [...rules.in] } : {}),
    ...stringFormat(rules, empty),
  };
}

/** Whether a request without the field fails: by the rule `required`, or by a documented message. */
export function isRequired(field: DescField): boolean {
  const rules = getOption(field, fieldRules);
  return rules.required || rules.cel.some((rule) => rule.id.startsWith('documented.'));
}

/** The JSON Schema keywords for the rules of a field, of a list's items or of a map's values. */
export function keywords(rules: FieldRules | undefined, required: boolean): JsonObject {
  const type = rules?.type;
  switch (type?.case) {
    case 'string':
      return stringRules(type.value, required, !required && type.value.minLen === 0n);
    case 'bytes':
      return {
        ...(required ? { minLength: 1 } : {}),
        // base64: four characters for three bytes
        ...(type.value.maxLen > 0n
          ? { maxLength: Math.ceil(Number(type.value.maxLen) / 3) * 4 }
          : {}),
      };
    case 'int32': {
      const { greaterThan, lessThan } = type.value;
      return {
        ...(greaterThan.case === 'gte' ? { minimum: greaterThan.value } : {}),
        ...(lessThan.case === 'lte' ? { maximum: lessThan.value } : {}),
      };
    }
    case 'repeated':
      return type.value.maxItems > 0n ? { maxItems: Number(type.value.maxItems) } : {};
    case 'map':
      return type.value.maxPairs > 0n ? { maxProperties: Number(type.value.maxPairs) } : {};
    default:
      return {};
  }
}

/** The rules of a list's items. */
export function itemRules(rules: FieldRules): FieldRules | undefined {
  return rules.type.case === 'repeated' ? rules.type.value.items : undefined;
}
