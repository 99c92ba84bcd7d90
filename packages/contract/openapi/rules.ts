import {
  address,
  color,
  domain,
  event_type,
  https_url,
  id,
  locale,
  name,
  one_line,
  path,
  permission,
  plain_text,
  slug,
  totp,
  web_url,
} from '@bailiwick/proto/gen/bailiwick/options/v1/rules_pb.ts';
import { type DescField, getExtension, getOption, hasExtension } from '@bufbuild/protobuf';
import {
  type FieldRules,
  field as fieldRules,
  Ignore,
  type StringRules,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import {
  httpsPattern,
  idPattern,
  linePattern,
  namePattern,
  pathPattern,
  permissionPattern,
  slugPattern,
  textPattern,
  webPattern,
} from './patterns.ts';
import type { JsonObject } from './types.ts';

/** The formats of rules.proto, as far as JSON Schema can express them. `empty` = "" is valid too. */
function stringFormat(rules: StringRules, empty: boolean): JsonObject {
  const pattern = (source: string) => ({ pattern: empty ? `^(${source})?$` : `^${source}$` });
  if (hasExtension(rules, id)) return pattern(idPattern(getExtension(rules, id)));
  if (hasExtension(rules, path)) return { ...pattern(pathPattern), maxLength: 255 };
  if (hasExtension(rules, slug)) return pattern(slugPattern);
  if (hasExtension(rules, permission)) return pattern(permissionPattern);
  if (hasExtension(rules, event_type))
    return { ...pattern('[a-z0-9_]+([.][a-z0-9_]+)*'), maxLength: 64 };
  if (hasExtension(rules, name)) return { pattern: empty ? `^$|${namePattern}` : namePattern };
  if (hasExtension(rules, one_line)) return { pattern: linePattern };
  if (hasExtension(rules, plain_text)) return { pattern: textPattern };
  if (hasExtension(rules, locale))
    return { ...pattern('[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*'), maxLength: 35 };
  if (hasExtension(rules, totp)) return pattern('[0-9]{6}');
  if (hasExtension(rules, color)) return pattern('#[0-9A-Fa-f]{6}');
  if (hasExtension(rules, https_url)) return { ...pattern(httpsPattern), maxLength: 2048 };
  if (hasExtension(rules, web_url)) return { ...pattern(webPattern), maxLength: 2048 };
  if (hasExtension(rules, address)) return { maxLength: 254 };
  if (hasExtension(rules, domain)) return { maxLength: 253 };
  return rules.pattern === '' ? {} : { pattern: rules.pattern };
}

function stringRules(rules: StringRules, required: boolean, ignoresEmpty: boolean): JsonObject {
  // Only the format `permission` rejects "".
  const takesEmpty =
    !required && rules.minLen === 0n && (ignoresEmpty || !hasExtension(rules, permission));
  const values = [...new Set([...(ignoresEmpty ? [''] : []), ...rules.in])];
  return {
    ...(required ? { minLength: 1 } : {}),
    ...(rules.minLen > 0n ? { minLength: Number(rules.minLen) } : {}),
    ...(rules.maxLen > 0n ? { maxLength: Number(rules.maxLen) } : {}),
    ...(rules.in.length > 0 ? { enum: values.filter((option) => !required || option !== '') } : {}),
    ...stringFormat(rules, takesEmpty),
  };
}

/** Whether a request without the field is invalid, by the rule `required` or a documented rule. */
export function isRequired(field: DescField): boolean {
  const rules = getOption(field, fieldRules);
  return rules.required || rules.cel.some((rule) => rule.id.startsWith('documented.'));
}

/** The JSON Schema keywords for the rules of a field, of a list's items or of a map's values. */
export function keywords(rules: FieldRules | undefined, required: boolean): JsonObject {
  const type = rules?.type;
  switch (type?.case) {
    case 'string':
      return stringRules(type.value, required, rules?.ignore === Ignore.IF_ZERO_VALUE);
    case 'bytes':
      return {
        ...(required ? { minLength: 2 } : {}),
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
      return {
        ...(required ? { minItems: 1 } : {}),
        ...(type.value.maxItems > 0n ? { maxItems: Number(type.value.maxItems) } : {}),
      };
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

/** The format of a required address or domain. International ones are valid, so it is not `email` or `hostname`. */
export function internationalFormat({ type, required }: FieldRules): JsonObject {
  if (!required || type.case !== 'string') return {};
  if (hasExtension(type.value, address)) return { format: 'idn-email' };
  return hasExtension(type.value, domain) ? { format: 'idn-hostname' } : {};
}
