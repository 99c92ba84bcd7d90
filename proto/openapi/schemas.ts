import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { getComments } from '@bufbuild/protoplugin';
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { server_managed } from '../gen/bailiwick/options/v1/options_pb.ts';
import { listField } from '../json/values.ts';
import { isRequired, itemRules, keywords } from './rules.ts';
import type { Json, JsonObject } from './types.ts';

/** The record is called Domain in the interface; in proto the service has that name. */
const renamed: Readonly<Record<string, string>> = {
  DomainRecord: 'Domain',
  DomainRecordPage: 'DomainPage',
};

/** A record's name outside of proto. */
export const documentedName = (message: DescMessage): string =>
  renamed[message.name] ?? message.name;

/** What a message is: sent by a client, sent by us, or a record that travels both ways. */
export type Role = 'request' | 'response' | 'record';

/** Collects the schemas of an OpenAPI document: operations' own, and the records they refer to. */
export type Schemas = {
  readonly all: Record<string, Json>;
  /** Adds an operation's request or response under its documented schema name. */
  readonly add: (name: string, message: DescMessage, role: Role, nullable?: boolean) => void;
};

export function schemaCollection(): Schemas {
  const all: Record<string, Json> = {};
  const add: Schemas['add'] = (name, message, role, nullable = false) => {
    all[name] = objectSchema(message, role, nullable, reference);
  };
  const reference = (message: DescMessage): Json => {
    const name = documentedName(message);
    if (!(name in all)) {
      all[name] = {};
      add(name, message, isPage(message) ? 'response' : 'record');
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return { all, add };
}

type Reference = (message: DescMessage) => Json;

function objectSchema(
  message: DescMessage,
  role: Role,
  nullable: boolean,
  reference: Reference,
): JsonObject {
  const required = message.fields
    .filter((field) => isAlwaysThere(field, role))
    .map((field) => field.jsonName);
  return {
    type: 'object',
    ...describe(message),
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(
      message.fields.map((field) => [
        field.jsonName,
        fieldSchema(field, role, nullable, reference),
      ]),
    ),
  };
}

/** Requests: what they fail without. Responses: everything but times, which are left out where unset. */
export function isAlwaysThere(field: DescField, role: Role): boolean {
  if (role === 'response') return !isTime(field);
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
  // What stands beside a $ref is ignored in OpenAPI 3.0.
  return { ...(nullable ? { type: 'object', nullable: true } : {}), allOf: [type], ...notes };
}

function typeSchema(field: DescField, role: Role, reference: Reference): JsonObject {
  const rules = getOption(field, fieldRules);
  const own = role === 'response' ? {} : keywords(rules, isRequired(field));
  switch (field.fieldKind) {
    case 'scalar':
      return { ...scalarSchema(field.scalar), ...own };
    case 'list': {
      if (field.listKind === 'message')
        return { type: 'array', ...own, items: reference(field.message) };
      if (field.listKind === 'enum')
        throw new Error(`${field.toString()}: enums are not used on the wire`);
      const inner = role === 'response' ? {} : keywords(itemRules(rules), false);
      return { type: 'array', ...own, items: { ...scalarSchema(field.scalar), ...inner } };
    }
    case 'message': {
      const list = listField(field.message);
      // The rules of the items alone: those of the whole are the field's.
      if (list)
        return { type: 'array', items: typeSchema(list, 'response', reference)['items'] ?? {} };
      return wellKnown(field.message.typeName, role) ?? (reference(field.message) as JsonObject);
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

/** The messages that are plain JSON. */
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

/** An element's comment as its description. Lines are wrapped in the proto files only for reading there. */
export function describe(element: Parameters<typeof getComments>[0]): { description?: string } {
  const text = comment(element);
  return text === '' ? {} : { description: text };
}

export function comment(element: Parameters<typeof getComments>[0]): string {
  return (getComments(element).leading ?? '').trim().replace(/\s*\n\s*/g, ' ');
}
