import { Buffer } from 'node:buffer';
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { isValueMap, listField } from './values.ts';

export type JsonObject = { [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/**
 * Encodes a message as the documented JSON: keys in their documented spelling, unset booleans, strings
 * and lists included, unset times left out, bytes as padded base64, times with milliseconds.
 * `nullRecords` writes absent records as null instead of leaving them out.
 */
export function encodeJson(schema: DescMessage, message: Message, nullRecords = false): JsonObject {
  const object: JsonObject = {};
  const reflected = reflect(schema, message);
  for (const field of schema.fields) {
    const value = encodeField(reflected, field);
    if (value !== undefined) object[field.jsonName] = value;
    else if (nullRecords && field.fieldKind === 'message') object[field.jsonName] = null;
  }
  return object;
}

function encodeField(message: ReflectMessage, field: DescField): JsonValue | undefined {
  switch (field.fieldKind) {
    case 'scalar':
      return encodeScalar(message.get(field));
    case 'message':
      if (listField(field.message))
        return message.isSet(field) ? encodeItems(message.get(field)) : [];
      if (isValueMap(field.message))
        return message.isSet(field) ? encodeItems(message.get(field)) : {};
      return message.isSet(field) ? encodeMessage(message.get(field)) : undefined;
    case 'list': {
      const list = message.get(field);
      return [...list].map((item: unknown) =>
        field.listKind === 'message' ? encodeMessage(item as ReflectMessage) : encodeScalar(item),
      );
    }
    case 'map':
      return Object.fromEntries(
        [...message.get(field)].map(([key, value]: [unknown, unknown]) => [
          String(key),
          encodeScalar(value),
        ]),
      );
    case 'enum':
      throw new Error(
        `${message.desc.typeName}.${field.name}: public messages use strings instead of enums`,
      );
  }
}

function encodeMessage(value: ReflectMessage): JsonValue {
  if (value.desc.typeName === 'google.protobuf.Timestamp')
    return timestampDate(value.message as Timestamp).toISOString();
  return encodeJson(value.desc, value.message);
}

// A value list or map is encoded as its only field.
function encodeItems(value: ReflectMessage): JsonValue {
  return encodeJson(value.desc, value.message)['Items'] ?? null;
}

function encodeScalar(value: unknown): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new Error('public messages do not contain 64-bit numbers');
}
