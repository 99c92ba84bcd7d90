import {
  ignored_key,
  server_managed,
} from '@bailiwick/proto/gen/bailiwick/options/v1/options_pb.ts';
import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { getComments } from '@bufbuild/protoplugin';
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { listField } from '../json/values.ts';
import { fieldKeywords, messageKeywords } from './cel.ts';
import { internationalFormat, isRequired, itemRules, keywords } from './rules.ts';
import type { Json, JsonObject } from './types.ts';

/** The record is called Domain in the interface. In proto the service has that name. */
const renamed: Readonly<Record<string, string>> = {
  DomainRecord: 'Domain',
  DomainRecordPage: 'DomainPage',
};

/** A record's documented name. */
export const documentedName = (message: DescMessage): string =>
  renamed[message.name] ?? message.name;

/** The role of a message: an operation's request or response, a record in responses, or a record in requests. */
export type Role = 'request' | 'response' | 'record' | 'input';

/** Requests with unknown keys are rejected. Responses can get new fields, so their schemas stay open. */
const isSent = (role: Role): boolean => role === 'request' || role === 'input';

/** Collects the schemas of an OpenAPI document: those of operations, and of the records they refer to. */
export type Schemas = {
  readonly all: Record<string, Json>;
  /** Adds an operation's request or response under its documented schema name. */
  readonly add: (name: string, message: DescMessage, role: Role, nullable?: boolean) => void;
};

/**
 * `responseMessages`: the messages of responses. If a request contains one of them too, its request schema is
 * called <Record>Input. `assigned` are the fields that an operation sets itself.
 */
export function schemaCollection(
  responseMessages: ReadonlySet<DescMessage>,
  assigned: ReadonlySet<DescField>,
): Schemas {
  const all: Record<string, Json> = {};
  const add: Schemas['add'] = (name, message, role, nullable = false) => {
    all[name] = objectSchema(message, role, nullable, { reference, assigned });
  };
  const reference: Reference = (message, from) => {
    const name = `${documentedName(message)}${isSent(from) && responseMessages.has(message) ? 'Input' : ''}`;
    if (!(name in all)) {
      all[name] = {};
      if (isSent(from)) add(name, message, 'input');
      else add(name, message, isPage(message) ? 'response' : 'record');
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return { all, add };
}

/** A message and all messages it contains. */
export function messagesIn(
  message: DescMessage,
  messages = new Set<DescMessage>(),
): Set<DescMessage> {
  if (messages.has(message)) return messages;
  messages.add(message);
  for (const field of message.fields) if (field.message) messagesIn(field.message, messages);
  return messages;
}

/** Returns a reference to the schema of a record within a message of this role. */
type Reference = (message: DescMessage, from: Role) => Json;

type Context = { readonly reference: Reference; readonly assigned: ReadonlySet<DescField> };

function objectSchema(
  message: DescMessage,
  role: Role,
  nullable: boolean,
  context: Context,
): JsonObject {
  const required = message.fields
    .filter((field) => isAlwaysThere(field, role))
    .map((field) => field.jsonName);
  const property = (field: DescField) =>
    isSent(role)
      ? sentSchema(field, role, context)
      : fieldSchema(field, role, nullable, context.reference);
  return {
    type: 'object',
    ...describe(message),
    ...(required.length > 0 ? { required } : {}),
    properties: {
      ...Object.fromEntries(message.fields.map((field) => [field.jsonName, property(field)])),
      ...(isSent(role) ? ignored(message) : {}),
    },
    ...(isSent(role) ? { additionalProperties: false, ...rulesOfAll(message) } : {}),
  };
}

/** Accepted keys that are not fields: a record that is sent back as it was read contains them. */
function ignored(message: DescMessage): JsonObject {
  return Object.fromEntries(
    getOption(message, ignored_key).map((key) => [
      key,
      { description: 'Ignored.', readOnly: true },
    ]),
  );
}

/** The keywords of the message rules. */
function rulesOfAll(message: DescMessage): JsonObject {
  const rules = messageKeywords(message);
  return 'properties' in rules ? { allOf: [rules] } : rules;
}

/** In requests: whether the field is required. In responses: all fields except times and optional records, which are left out if unset. */
export function isAlwaysThere(field: DescField, role: Role): boolean {
  if (role === 'response')
    return !isTime(field) && !(isRecord(field) && field.proto.proto3Optional);
  if (isRequired(field)) return true;
  return (
    role === 'request' &&
    isRecord(field) &&
    !field.proto.proto3Optional &&
    field.message.fields.some(isRequired)
  );
}

function fieldSchema(field: DescField, role: Role, nullable: boolean, reference: Reference): Json {
  const notes: JsonObject = {
    ...describe(field),
    ...(getOption(field, server_managed) ? { readOnly: true } : {}),
  };
  const type = typeSchema(field, role, reference);
  if (!isRecord(field)) return { ...type, ...notes };
  const alone = Object.keys(notes).length === 0 && !nullable;
  if (alone) return type;
  // OpenAPI 3.0 ignores keywords next to a $ref.
  return { ...(nullable ? { type: 'object', nullable: true } : {}), allOf: [type], ...notes };
}

/** A field of a request. null means absent, so it is rejected only if the key is required. */
function sentSchema(field: DescField, role: Role, { reference, assigned }: Context): Json {
  // The client's value is ignored.
  if (getOption(field, server_managed)) return { ...describe(field), readOnly: true };
  // One operation ignores the field; the other operations state their own rules.
  if (assigned.has(field)) return describe(field);
  const isNullable = !isAlwaysThere(field, role);
  const rules = getOption(field, fieldRules);
  const type: JsonObject = {
    ...typeSchema(field, role, reference),
    ...internationalFormat(rules),
    ...fieldKeywords(rules),
  };
  const notes: JsonObject = { ...describe(field), ...(isNullable ? { nullable: true } : {}) };
  // A number beyond 32 bits is accepted as the largest one, unless the field has a maximum.
  if (type['format'] === 'int32' && !('maximum' in type)) delete type['format'];
  if ('$ref' in type)
    return Object.keys(notes).length === 0 ? type : { type: 'object', allOf: [type], ...notes };
  return {
    ...type,
    ...(isNullable && Array.isArray(type['enum'])
      ? { enum: [...(type['enum'] as Json[]), null] }
      : {}),
    ...notes,
  };
}

function typeSchema(field: DescField, role: Role, reference: Reference): JsonObject {
  const rules = getOption(field, fieldRules);
  const own = role === 'response' ? {} : keywords(rules, isRequired(field));
  switch (field.fieldKind) {
    case 'scalar':
      return { ...scalarSchema(field.scalar), ...own };
    case 'list': {
      if (field.listKind === 'message')
        return { type: 'array', ...own, items: reference(field.message, role) };
      if (field.listKind === 'enum')
        throw new Error(`${field.toString()}: enums are not used on the wire`);
      const items = itemRules(rules);
      const inner =
        role === 'response' || !items ? {} : { ...keywords(items, false), ...fieldKeywords(items) };
      return { type: 'array', ...own, items: { ...scalarSchema(field.scalar), ...inner } };
    }
    case 'message': {
      const list = listField(field.message);
      if (list) return typeSchema(list, isSent(role) ? role : 'response', reference);
      return (
        wellKnown(field.message.typeName, role) ?? (reference(field.message, role) as JsonObject)
      );
    }
    default:
      throw new Error(`${field.toString()}: ${field.fieldKind} fields are not used on the wire`);
  }
}

function scalarSchema(type: ScalarType): JsonObject {
  switch (type) {
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.BYTES:
      return { type: 'string', format: 'byte' };
    case ScalarType.INT32:
      return { type: 'integer', format: 'int32' };
    default:
      throw new Error(`scalar ${ScalarType[type]} is not used on the wire`);
  }
}

/** The schema of a message that is plain JSON, or undefined. */
function wellKnown(typeName: string, role: Role): JsonObject | undefined {
  switch (typeName) {
    case 'google.protobuf.Timestamp':
      return { type: 'string', format: 'date-time' };
    case 'bailiwick.common.v1.StringMap':
      return {
        type: 'object',
        ...(role === 'response' ? {} : { maxProperties: 50 }),
        additionalProperties: { type: 'string' },
      };
    default:
      return undefined;
  }
}

export function isTime(field: DescField): boolean {
  return field.fieldKind === 'message' && field.message.typeName === 'google.protobuf.Timestamp';
}

export function isRecord(
  field: DescField,
): field is DescField & { fieldKind: 'message'; message: DescMessage } {
  return (
    field.fieldKind === 'message' &&
    !listField(field.message) &&
    wellKnown(field.message.typeName, 'record') === undefined
  );
}

function isPage(message: DescMessage): boolean {
  return message.name.endsWith('Page');
}

/** The description of an element: its comment, without the line breaks of the proto file. */
export function describe(element: Parameters<typeof getComments>[0]): { description?: string } {
  const text = comment(element);
  return text === '' ? {} : { description: text };
}

export function comment(element: Parameters<typeof getComments>[0]): string {
  return (getComments(element).leading ?? '').trim().replace(/\s*\n\s*/g, ' ');
}
