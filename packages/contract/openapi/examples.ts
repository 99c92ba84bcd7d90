import { server_managed } from '@bailiwick/proto/gen/bailiwick/options/v1/options_pb.ts';
import {
  address,
  domain,
  event_type,
  id,
  path,
  permission,
  slug,
} from '@bailiwick/proto/gen/bailiwick/options/v1/rules_pb.ts';
import {
  type DescField,
  type DescMessage,
  getExtension,
  getOption,
  hasExtension,
  ScalarType,
} from '@bufbuild/protobuf';
import {
  type FieldRules,
  field as fieldRules,
  type StringRules,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { moment } from '../example-moment.ts';
import { listField } from '../json/values.ts';
import type { Operation } from '../operation.ts';
import { exampleId } from './example-tokens.ts';
import { exampleValues } from './example-values.ts';
import { itemRules } from './rules.ts';
import { comment } from './schemas.ts';
import type { Json, JsonObject } from './types.ts';

// Examples from the descriptors, reproducible for the same proto files. A field's value comes from example-values.ts, else
// from its rules or its comment, else it is the field's name.

/** A request as a client sends it, without the fields that the service sets. */
export function requestExample({ method, assigned }: Operation): JsonObject {
  return objectExample(method.input, {
    keys: method.input.name,
    protoPath: '',
    dropped: new Set(assigned),
  });
}

/** The response of a successful call. */
export function responseExample({ method }: Operation): JsonObject {
  return objectExample(method.output, { keys: method.output.name, protoPath: '' });
}

type Place = {
  /** The name of the outermost message, and the JSON keys below it. */
  readonly keys: string;
  readonly protoPath: string;
  /** In a request: the proto paths that the operation sets itself. */
  readonly dropped?: ReadonlySet<string>;
};

function objectExample(message: DescMessage, place: Place): JsonObject {
  const object: JsonObject = {};
  for (const field of message.fields) {
    const protoPath = place.protoPath === '' ? field.name : `${place.protoPath}.${field.name}`;
    if (place.dropped && (getOption(field, server_managed) || place.dropped.has(protoPath)))
      continue;
    const example = fieldExample(field, {
      ...place,
      keys: `${place.keys}.${field.jsonName}`,
      protoPath,
    });
    if (example !== undefined) object[field.jsonName] = example;
  }
  return object;
}

function fieldExample(field: DescField, place: Place): Json | undefined {
  // A record of which exactly one field is sent needs a value for the whole record.
  if (place.keys in exampleValues) return exampleValues[place.keys];
  const record = recordOf(field);
  if (record) {
    const example = objectExample(record, place);
    return field.fieldKind === 'list' || (field.fieldKind === 'message' && listField(field.message))
      ? [example]
      : example;
  }
  const exampleKey = [place.keys, `${field.parent.name}.${field.jsonName}`, field.jsonName].find(
    (key) => key in exampleValues,
  );
  if (exampleKey !== undefined) return exampleValues[exampleKey];
  // The example creates a record, so its ID is left out.
  if (place.dropped && field.jsonName === 'ID' && comment(field).startsWith('Empty'))
    return undefined;
  const rules = getOption(field, fieldRules);
  switch (field.fieldKind) {
    case 'scalar':
      return scalarExample(field, field.scalar, rules);
    case 'list':
      return [
        scalarExample(
          field,
          field.listKind === 'scalar' ? field.scalar : ScalarType.STRING,
          itemRules(rules),
        ),
      ];
    case 'message':
      return plainExample(field, field.message);
    default:
      throw new Error(`${field.toString()}: ${field.fieldKind} fields are not used on the wire`);
  }
}

/** The message of a field or of a list's items, unless it is plain JSON. */
function recordOf(field: DescField): DescMessage | undefined {
  if (field.fieldKind !== 'message' && field.fieldKind !== 'list') return undefined;
  const list = field.message && listField(field.message);
  if (list) return recordOf(list);
  return field.message && plainExample(field, field.message) === undefined
    ? field.message
    : undefined;
}

function plainExample(field: DescField, message: DescMessage): Json | undefined {
  switch (message.typeName) {
    case 'google.protobuf.Timestamp':
      return moment;
    case 'bailiwick.common.v1.StringList':
      return [textExample(field, undefined)];
    case 'bailiwick.common.v1.StringMap':
      return { key: 'value' };
    default:
      return undefined;
  }
}

function scalarExample(field: DescField, type: ScalarType, rules: FieldRules | undefined): Json {
  switch (type) {
    case ScalarType.STRING:
      return textExample(field, rules?.type.case === 'string' ? rules.type.value : undefined);
    case ScalarType.BOOL:
      return false;
    case ScalarType.INT32:
      return 0;
    default:
      return '';
  }
}

function textExample(field: DescField, rules: StringRules | undefined): string {
  return (
    (rules && ruleExample(rules)) ??
    commentExample(comment(field)) ??
    field.name.replaceAll('_', ' ')
  );
}

function ruleExample(rules: StringRules): string | undefined {
  if (rules.in.length > 0) return rules.in[0];
  if (hasExtension(rules, id)) return exampleId(getExtension(rules, id));
  if (hasExtension(rules, address)) return 'ada@example.com';
  if (hasExtension(rules, path)) return 'eng/backend';
  if (hasExtension(rules, slug)) return 'editor';
  if (hasExtension(rules, permission)) return 'app.reports.read';
  if (hasExtension(rules, event_type)) return 'group.created';
  if (hasExtension(rules, domain)) return 'example.com';
  return undefined;
}

/** Takes an example from a comment: "… such as eng/backend." or "pending, active or disabled." */
function commentExample(text: string): string | undefined {
  const named = /\bsuch as (\S+?)[.,;]?(?:\s|$)/i.exec(text)?.[1];
  return named ?? /^([a-z_]+)(?:, [a-z_]+)* or [a-z_]+[.;]/.exec(text)?.[1];
}
