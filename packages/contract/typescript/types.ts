import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { listField } from '../json/values.ts';
import { comment, documentedName, isAlwaysThere, isRecord, isTime } from '../openapi/schemas.ts';
import type { Operation } from '../operation.ts';

// TypeScript types of the documented JSON. A response has every key, and a request only the sent ones. So each record has
// two types, and the response type is assignable to the request type.

type Direction = 'sent' | 'answered';

/** Collects the types of the records that operations refer to, by name. */
type Types = {
  readonly declared: Map<string, string>;
  readonly requests: ReadonlyMap<string, string>;
};

/** The types of all operations, and of the records that they carry. */
export function typesFile(operations: readonly Operation[]): string {
  const requests = new Map(
    operations.map(({ method, name }) => [method.input.typeName, `${name}Req`]),
  );
  const types: Types = { declared: new Map(), requests };
  for (const operation of operations) {
    const { name, method, nullWhenAbsent, stream, assigned } = operation;
    const fields = method.input.fields.filter((field) => !assigned.includes(field.name));
    declare(types, `${name}Req`, method.input, () =>
      fields.map((field) => sentField(types, field, 'request')),
    );
    if (!stream)
      declare(types, `${name}Res`, method.output, () =>
        method.output.fields.map((field) => answerField(types, field, nullWhenAbsent)),
      );
  }
  const declared = [...types.declared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return [operationMap(operations), streamMap(operations), ...declared].join('\n');
}

function operationMap(operations: readonly Operation[]): string {
  const entries = operations
    .filter(({ stream }) => !stream)
    .map((operation) => `${doc(comment(operation.method), '  ')}  ${entry(operation)}\n`);
  return `/** The request and response of each operation. */\nexport interface Operations {\n${entries.join('')}}\n`;
}

function entry({ name }: Operation): string {
  return `${name}: { request: ${name}Req; response: ${name}Res };`;
}

function streamMap(operations: readonly Operation[]): string {
  const entries = operations
    .filter(({ stream }) => stream)
    .map(
      ({ name, method }) => `${doc(comment(method), '  ')}  ${name}: { request: ${name}Req };\n`,
    );
  return `/** The operations whose response is one long text. */\nexport interface Streams {\n${entries.join('')}}\n`;
}

function declare(
  { declared }: Types,
  name: string,
  message: DescMessage,
  fields: () => string[],
): void {
  // Declared before its fields are read, since they can refer to it.
  declared.set(name, '');
  const body = fields().join('');
  // {} would accept every value.
  const type = body === '' ? 'Record<string, never>' : `{\n${body}}`;
  declared.set(name, `${doc(comment(message), '')}export type ${name} = ${type};\n`);
}

function sentField(types: Types, field: DescField, role: 'request' | 'record'): string {
  const optional = isAlwaysThere(field, role) ? '' : '?';
  const type = typeOf(types, field, 'sent');
  // undefined is not sent, so the type works with and without a consumer's exactOptionalPropertyTypes.
  return line(field, optional, optional === '' ? type : `${type} | undefined`);
}

/**
 * A field of a response. Its records are present unless they are optional, or null if the operation
 * has null_when_absent.
 */
function answerField(types: Types, field: DescField, nullWhenAbsent: boolean): string {
  const type = typeOf(types, field, 'answered');
  return line(
    field,
    isAlwaysThere(field, 'response') ? '' : '?',
    nullWhenAbsent && isRecord(field) ? `${type} | null` : type,
  );
}

/** A field of a record in a response. Absent times and records are left out. */
function recordField(types: Types, field: DescField): string {
  return line(field, isTime(field) || isRecord(field) ? '?' : '', typeOf(types, field, 'answered'));
}

const line = (field: DescField, optional: string, type: string) =>
  `${doc(comment(field), '  ')}  ${field.jsonName}${optional}: ${type};\n`;

function typeOf(types: Types, field: DescField, direction: Direction): string {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarType(field.scalar);
    case 'list': {
      if (field.listKind === 'enum') break;
      const itemType =
        field.listKind === 'message'
          ? messageType(types, field.message, direction)
          : scalarType(field.scalar);
      return direction === 'sent' ? `readonly ${itemType}[]` : `${itemType}[]`;
    }
    case 'message':
      return messageType(types, field.message, direction);
    default:
  }
  throw new Error(`${field.toString()}: ${field.fieldKind} fields are not used on the wire`);
}

function scalarType(type: ScalarType): string {
  switch (type) {
    case ScalarType.BOOL:
      return 'boolean';
    case ScalarType.INT32:
      return 'number';
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return 'string';
    default:
      throw new Error(`scalar ${ScalarType[type]} is not used on the wire`);
  }
}

function messageType(types: Types, message: DescMessage, direction: Direction): string {
  const list = listField(message);
  if (list) return typeOf(types, list, direction);
  switch (message.typeName) {
    case 'google.protobuf.Timestamp':
      return 'string';
    case 'bailiwick.common.v1.StringMap':
      return direction === 'sent' ? 'Readonly<Record<string, string>>' : 'Record<string, string>';
    default:
      return recordType(types, message, direction);
  }
}

function recordType(types: Types, message: DescMessage, direction: Direction): string {
  const request = direction === 'sent' ? types.requests.get(message.typeName) : undefined;
  if (request !== undefined) return request;
  const name =
    direction === 'sent' && !message.name.endsWith('Req')
      ? `${documentedName(message)}Input`
      : documentedName(message);
  if (!types.declared.has(name)) {
    const field =
      direction === 'sent'
        ? (one: DescField) => sentField(types, one, 'record')
        : (one: DescField) => recordField(types, one);
    declare(types, name, message, () => message.fields.map(field));
  }
  return name;
}

function doc(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
}
