import { Buffer } from 'node:buffer';
import {
  fieldPath,
  itemPath,
  mapPath,
  type Params,
  type Problem,
  problem,
  type Rule,
} from '@bailiwick/errors';
import {
  ignored_key,
  server_managed,
} from '@bailiwick/proto/gen/bailiwick/options/v1/options_pb.ts';
import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  type Message,
  type MessageInitShape,
  ScalarType,
} from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { similarName } from './similar.ts';
import { isTimestamp, isValueMap, listField, rfc3339 } from './values.ts';

// Decodes the documented JSON. Unlike protobuf's decoder it reports all wrong types and unknown keys at once, accepts only
// the documented spelling, drops server-managed fields unread, and its messages name JSON paths instead of protobuf types.

export type Decoded = {
  message: Message;
  /** Wrong types and unknown keys. */
  problems: Problem[];
  /** JSON paths of values that could not be decoded. They are absent in the message: do not validate them. */
  unreadable: ReadonlySet<string>;
};

export type DecodeOptions = {
  /** Proto paths that the operation sets itself. They are dropped unread, like server_managed fields. */
  assigned?: readonly string[];
  /** 'refuse' reports misspelt fields. 'ignore' accepts requests from a newer version. */
  unknownKeys?: 'refuse' | 'ignore';
};

type Json = Record<string, unknown>;
type Init = Record<string, unknown>;
type Reader = {
  problems: Problem[];
  unreadable: Set<string>;
  dropped: ReadonlySet<string>;
  refusesUnknown: boolean;
  wrong: number;
  unknown: number;
};

/** Decodes a JSON object to a message. null means absent. */
export function decodeJson(
  schema: DescMessage,
  json: Json,
  { assigned = [], unknownKeys = 'refuse' }: DecodeOptions = {},
): Decoded {
  const counts = { problems: [], unreadable: new Set<string>(), wrong: 0, unknown: 0 };
  const reader: Reader = {
    ...counts,
    dropped: new Set(assigned),
    refusesUnknown: unknownKeys === 'refuse',
  };
  const init = readObject(schema, json, '', '', reader);
  if (reader.wrong > maxProblems) reader.problems.push(more(reader.wrong, 'values are wrong'));
  if (reader.unknown > maxProblems)
    reader.problems.push(more(reader.unknown, 'keys are not known fields'));
  return {
    message: create(schema, init as MessageInitShape<DescMessage>),
    problems: reader.problems,
    unreadable: reader.unreadable,
  };
}

type Shape = { fields: readonly DescField[]; keys: ReadonlySet<string> };

const shapes = new WeakMap<DescMessage, Shape>();

/** The fields that a client can send, and all accepted keys. Cached: reading an option costs more than decoding a field. */
function shapeOf(schema: DescMessage): Shape {
  const cached = shapes.get(schema);
  if (cached) return cached;
  const shape = {
    fields: schema.fields.filter((field) => !getOption(field, server_managed)),
    keys: new Set([
      ...schema.fields.map((field) => field.jsonName),
      ...getOption(schema, ignored_key),
    ]),
  };
  shapes.set(schema, shape);
  return shape;
}

function readObject(
  schema: DescMessage,
  json: Json,
  path: string,
  protoPath: string,
  reader: Reader,
): Init {
  const init: Init = {};
  const { fields, keys } = shapeOf(schema);
  const isDropped = (field: DescField) => reader.dropped.has(join(protoPath, field.name));
  if (reader.refusesUnknown) {
    for (const key of Object.keys(json)) {
      if (!keys.has(key))
        refuseUnknown(
          key,
          path,
          () => fields.filter((field) => !isDropped(field)).map((field) => field.jsonName),
          reader,
        );
    }
  }
  for (const field of fields) {
    if (isDropped(field) || !Object.hasOwn(json, field.jsonName)) continue;
    const member = json[field.jsonName];
    if (member === null || member === undefined) continue;
    const read = readField(
      field,
      member,
      fieldPath(path, field.jsonName),
      join(protoPath, field.name),
      reader,
    );
    if (read !== undefined) init[field.localName] = read;
  }
  return init;
}

function refuseUnknown(
  key: string,
  path: string,
  names: () => readonly string[],
  reader: Reader,
): void {
  reader.unknown += 1;
  if (reader.unknown > maxProblems) return;
  const suggestion = similarName(key, names());
  const [hint, params] =
    suggestion === undefined ? ['', {}] : [`; did you mean ${suggestion}?`, { Meant: suggestion }];
  reader.problems.push(
    problem(fieldPath(path, key), 'unknown_key', `is not a known field${hint}`, params),
  );
}

function readField(
  field: DescField,
  value: unknown,
  path: string,
  protoPath: string,
  reader: Reader,
): unknown {
  switch (field.fieldKind) {
    case 'scalar':
      return readScalar(field.scalar, value, path, reader);
    case 'message':
      return readMessage(field.message, value, path, protoPath, reader);
    case 'list':
      if (!Array.isArray(value)) return wrongType(reader, path, 'an', 'array');
      // An unreadable item becomes an empty one, so that the others keep their index.
      return value.map((item: unknown, index) => {
        const at = itemPath(path, index);
        if (field.listKind === 'message')
          return readMessage(field.message, item, at, protoPath, reader) ?? {};
        return (
          readScalar(
            field.listKind === 'scalar' ? field.scalar : ScalarType.STRING,
            item,
            at,
            reader,
          ) ?? ''
        );
      });
    case 'map':
      return readMap(value, path, reader);
    case 'enum':
      throw new Error(`${field.toString()}: public messages use strings instead of enums`);
  }
}

function readMessage(
  schema: DescMessage,
  value: unknown,
  path: string,
  protoPath: string,
  reader: Reader,
): unknown {
  if (isTimestamp(schema)) return readTime(value, path, reader);
  if (isValueMap(schema)) {
    const items = readMap(value, path, reader);
    return items && { items };
  }
  const list = listField(schema);
  if (list) {
    const items = readField(list, value, path, `${protoPath}.${list.name}`, reader);
    return items === undefined ? undefined : { items };
  }
  if (!isObject(value)) return wrongType(reader, path, 'an', 'object');
  return readObject(schema, value, path, protoPath, reader);
}

function readScalar(type: ScalarType, value: unknown, path: string, reader: Reader): unknown {
  switch (type) {
    case ScalarType.STRING:
      return readText(value, path, reader);
    case ScalarType.BOOL:
      return typeof value === 'boolean' ? value : wrongType(reader, path, '', 'true or false');
    case ScalarType.INT32:
      return readWhole(value, path, reader);
    case ScalarType.BYTES:
      return readBytes(value, path, reader);
    default:
      throw new Error('public messages contain only strings, booleans, 32-bit integers and bytes');
  }
}

// A number beyond 32 bits becomes the nearest limit: the field's rules then reject it as out of range.
function readWhole(value: unknown, path: string, reader: Reader): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value))
    return wrongType(reader, path, 'a', 'whole number');
  return Math.min(Math.max(value, -(2 ** 31)), 2 ** 31 - 1);
}

function readText(value: unknown, path: string, reader: Reader): string | undefined {
  if (typeof value !== 'string') return wrongType(reader, path, 'a', 'string');
  // PostgreSQL cannot store U+0000 or a lone surrogate. Rejecting them here avoids an internal error there.
  if (value.includes('\u0000') || !value.isWellFormed())
    return refuse(reader, path, 'characters', 'must not contain U+0000 or unpaired surrogates');
  return value;
}

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function readBytes(value: unknown, path: string, reader: Reader): Uint8Array | undefined {
  const text = typeof value === 'string' ? value : undefined;
  if (text === undefined || !base64.test(text) || text.replace(/=+$/, '').length % 4 === 1)
    return wrongType(reader, path, '', 'base64');
  return Buffer.from(text, 'base64');
}

function readTime(value: unknown, path: string, reader: Reader): unknown {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  const [, local] = rfc3339.exec(text) ?? [];
  // Date reads February 30 as March 2, and 24:00 as the next day. A valid time is unchanged by the round trip.
  const wall = new Date(`${local}Z`);
  const date = new Date(text);
  const year = date.getUTCFullYear();
  // The offset can move the time out of the years 1 to 9999. An invalid date has the year NaN.
  const isTime =
    local !== undefined && year >= 1 && year <= 9999 && wall.toISOString().startsWith(local);
  return isTime
    ? timestampFromDate(date)
    : wrongType(reader, path, 'a', 'time', ' such as 2026-01-31T12:00:00Z');
}

function readMap(value: unknown, path: string, reader: Reader): Record<string, string> | undefined {
  if (!isObject(value)) return wrongType(reader, path, 'an', 'object');
  const entries: Array<[string, string]> = [];
  for (const [key, item] of Object.entries(value)) {
    const at = mapPath(path, key);
    // These keys would change the prototype of an object that they are copied to.
    if (key === '__proto__' || key === 'constructor' || key === 'prototype')
      refuse(reader, at, 'key', 'is not a usable key');
    const name = readText(key, at, reader);
    const text = readText(item, at, reader);
    if (name !== undefined && text !== undefined) entries.push([name, text]);
  }
  return Object.fromEntries(entries);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

/** Limit of reported wrong values and of reported unknown keys, so that a response is not many times larger than its request. */
const maxProblems = 100;

/** How many problems of a kind are not listed. */
function more(count: number, kind: string): Problem {
  const rest = String(count - maxProblems);
  return problem('', 'more', `${rest} more ${kind}`, { Count: rest });
}

/** For a value of a wrong type: the path "must be", with an article, the type. */
const wrongType = (reader: Reader, path: string, article: string, type: string, more = '') =>
  refuse(reader, path, 'type', ['must be', article, `${type}${more}`].filter(Boolean).join(' '), {
    Type: type,
  });

function refuse(
  reader: Reader,
  path: string,
  rule: Rule,
  words: string,
  params: Params = {},
): undefined {
  reader.wrong += 1;
  if (reader.wrong > maxProblems) return undefined;
  reader.unreadable.add(path);
  reader.problems.push(problem(path, rule, words, params));
  return undefined;
}
