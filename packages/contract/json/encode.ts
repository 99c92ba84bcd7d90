import { Buffer } from 'node:buffer';
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { cleanersOf } from '../shown-text.ts';
import { isTimestamp, isValueMap, listField } from './values.ts';

export type JsonObject = { [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/**
 * Encodes a message as the documented JSON: keys in their documented spelling, unset booleans, strings
 * and lists included, unset times left out, bytes as padded base64, times with milliseconds.
 * Texts that people see have no control characters and no direction marks, also those stored before
 * requests were refused for them: what a client reads, it can save again.
 * `nullRecords` writes absent records as null instead of leaving them out.
 */
export function encodeJson(schema: DescMessage, message: Message, nullRecords = false): JsonObject {
  const object: JsonObject = {};
  const values = message as unknown as Record<string, unknown>;
  const cleaners = cleanersOf(schema);
  for (const field of schema.fields) {
    const raw = values[field.localName];
    // An optional field without a value.
    const isUnset = raw === undefined && field.fieldKind === 'scalar';
    const member = encodeField(field, isUnset ? reflect(schema, message).get(field) : raw);
    const clean = cleaners.get(field);
    if (member !== undefined)
      object[field.jsonName] = clean && typeof member === 'string' ? clean(member) : member;
    else if (nullRecords && field.fieldKind === 'message') object[field.jsonName] = null;
  }
  return object;
}

// Reads the properties of messages directly: protobuf's reflection makes an object for each.
function encodeField(field: DescField, value: unknown): JsonValue | undefined {
  if (field.oneof || field.fieldKind === 'enum')
    throw new Error(`${field.toString()}: public messages have neither enums nor oneofs`);
  switch (field.fieldKind) {
    case 'scalar':
      return encodeScalar(value);
    case 'message':
      if (listField(field.message)) return value === undefined ? [] : encodeItems(field, value);
      if (isValueMap(field.message)) return value === undefined ? {} : encodeItems(field, value);
      return value === undefined ? undefined : encodeMessage(field.message, value as Message);
    case 'list':
      return (value as unknown[]).map((entry) =>
        field.listKind === 'message'
          ? encodeMessage(field.message, entry as Message)
          : encodeScalar(entry),
      );
    case 'map':
      return Object.fromEntries(
        Object.entries(value as object).map(([key, item]) => [key, encodeScalar(item)]),
      );
  }
}

function encodeMessage(schema: DescMessage, message: Message): JsonValue {
  if (isTimestamp(schema)) return timestampDate(message as Timestamp).toISOString();
  return encodeJson(schema, message);
}

// A value list or map is encoded as its only field.
function encodeItems({ message }: { message: DescMessage }, value: unknown): JsonValue {
  return encodeJson(message, value as Message)['Items'] ?? null;
}

function encodeScalar(value: unknown): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new Error('public messages do not contain 64-bit numbers');
}
