import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { operations, validate } from '@bailiwick/contract';
import { create, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { additiveOperations, additiveRequestKeys, ignoredRequestKeys } from './additive.ts';
import { type DocumentedField, type DocumentedOperation, documented } from './documented.ts';

type Schema = {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

type Endpoint = {
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Record<string, { readonly schema: Schema }>;
  };
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { readonly schema: Schema }> }
  >;
  readonly tags: readonly string[];
};

type OpenApi = {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, Endpoint>>;
  readonly components: { readonly schemas: Record<string, Schema> };
};

const openApi: OpenApi = JSON.parse(
  await readFile(join(import.meta.dirname, '../../gateway/openapi.json'), 'utf8'),
);
const routed = [...operations.values()].filter((operation) => operation.public);

test('the interface documents 69 operations, five of them internal, and three routes', () => {
  assert.equal(documented.operations.length, 69);
  assert.equal(new Set(documented.operations.map(({ name }) => name)).size, 69);
  assert.equal(documented.operations.filter(({ internal }) => internal).length, 5);
  assert.equal(documented.operations.filter(({ shape }) => shape === 'not shown').length, 15);
  assert.equal(documented.routes.length, 3);
});

test('the registry has the documented and the additive operations, and no others', () => {
  const expected = [...documented.operations.map(({ name }) => name), ...additiveOperations];
  assert.deepEqual(routed.map(({ name }) => name).sort(), expected.sort());
});

test('openapi.json has the documented operations and routes and the additive operations, and no others', () => {
  const expected = [
    ...[...documented.operations.map(({ name }) => name), ...additiveOperations].map(
      (name) => `post /${name}`,
    ),
    ...documented.routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`),
  ];
  const routesOfDocument = Object.entries(openApi.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => key !== 'parameters')
      .map((method) => `${method} ${path}`),
  );
  assert.deepEqual(routesOfDocument.sort(), expected.sort());
  assert.equal(openApi.openapi, documented.openapi);
  assert.equal(openApi.info.version, documented.version);
});

test('internal operations require the worker credential and carry the internal tag in openapi.json', () => {
  for (const { name, internal = false } of documented.operations) {
    assert.equal(operations.get(name)?.credential === 'worker', internal, name);
    assert.equal(openApi.paths[`/${name}`]?.['post']?.tags.includes('internal'), internal, name);
  }
});

for (const operation of documented.operations.filter(({ shape }) => shape === undefined)) {
  test(`${operation.name} has the documented keys and types`, () => compareOperation(operation));
}

test('every record has its documented fields', () => {
  for (const [record, fields] of Object.entries(documented.records)) {
    const message = messageOf(record);
    for (const field of fields) {
      assert.equal(
        typeInProto(message.fields.find(({ jsonName }) => jsonName === field.name)),
        wireType(field.type),
        `${record}.${field.name}`,
      );
      const schema = openApi.components.schemas[schemaName(record)]?.properties?.[field.name];
      assert.equal(
        typeInOpenApi(schema),
        wireType(field.type),
        `${record}.${field.name} in openapi.json`,
      );
    }
  }
});

test('validation reports the documented messages, for the documented keys and no others', () => {
  for (const name of new Set(documented.validation.map(({ operation }) => operation))) {
    const schema = operations.get(name)?.method.input;
    assert.ok(schema, name);
    const messages = documented.validation
      .filter(({ operation }) => operation === name)
      .map(({ message }) => message);
    assert.deepEqual(validate(schema, create(schema)), messages, name);
  }
});

test('openapi.json declares every documented status for every operation, and the ErrorResponse schema', () => {
  for (const [path, item] of Object.entries(openApi.paths)) {
    for (const [method, endpoint] of Object.entries(item).filter(([key]) => key !== 'parameters')) {
      for (const status of documented.statuses)
        assert.ok(endpoint.responses[status], `${method} ${path}: ${status}`);
    }
  }
  assert.ok(openApi.components.schemas[documented.schemas.failure]);
});

function compareOperation({ name, request = [], response = [] }: DocumentedOperation): void {
  const operation = operations.get(name);
  assert.ok(operation, name);
  const additive = additiveRequestKeys[name] ?? [];
  assert.deepEqual(keysInProto(operation.method.input), withAdditive(request, additive), 'request');
  assert.deepEqual(keysInProto(operation.method.output), withAdditive(response, []), 'response');
  const endpoint = openApi.paths[`/${name}`]?.['post'];
  assert.equal(endpoint?.requestBody?.required, true);
  const requestSchema = endpoint.requestBody.content['application/json']?.schema.$ref;
  const responseSchema = endpoint.responses['200']?.content?.['application/json']?.schema.$ref;
  assert.equal(
    requestSchema,
    `#/components/schemas/${documented.schemas.request.replace('<Operation>', name)}`,
  );
  assert.equal(
    responseSchema,
    `#/components/schemas/${documented.schemas.response.replace('<Operation>', name)}`,
  );
  const ignored = ignoredRequestKeys[name] ?? [];
  const sentKeys = Object.entries(keysInOpenApi(`${name}Req`)).filter(
    ([key]) => !ignored.includes(key),
  );
  assert.deepEqual(
    Object.fromEntries(sentKeys),
    withAdditive(request, additive),
    'request in openapi.json',
  );
  assert.deepEqual(
    keysInOpenApi(`${name}Res`),
    withAdditive(response, []),
    'response in openapi.json',
  );
  // A client written for the documented interface does not send the additive keys.
  for (const key of additive)
    assert.ok(!openApi.components.schemas[`${name}Req`]?.required?.includes(key.name), key.name);
}

function withAdditive(
  fields: readonly DocumentedField[],
  additive: readonly DocumentedField[],
): Record<string, string> {
  return Object.fromEntries(
    [...fields, ...additive].map(({ name, type }) => [name, wireType(type)]).sort(byKey),
  );
}

/** The wire type of a documented type: an id or a path is a string. */
function wireType(type: string): string {
  return type.replace(/\b(id|path)\b/, 'string');
}

function keysInProto(message: DescMessage): Record<string, string> {
  return Object.fromEntries(
    message.fields.map((field) => [field.jsonName, typeInProto(field)]).sort(byKey),
  );
}

const scalars: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: 'string',
  [ScalarType.BOOL]: 'bool',
  [ScalarType.BYTES]: 'bytes',
};

function typeInProto(field: DescField | undefined): string {
  if (field?.fieldKind === 'scalar') return scalars[field.scalar] ?? 'another scalar';
  if (field?.fieldKind === 'list')
    return `list of ${field.listKind === 'message' ? recordName(field.message.name) : 'string'}`;
  if (field?.fieldKind !== 'message') return field === undefined ? 'missing' : field.fieldKind;
  if (field.message.typeName === 'google.protobuf.Timestamp') return 'time';
  const items = field.message.fields.find(({ jsonName }) => jsonName === 'Items');
  return items === undefined
    ? recordName(field.message.name)
    : typeInProto(items).replace(/^list of (.*)$/, 'Page<$1>');
}

function keysInOpenApi(name: string): Record<string, string> {
  const properties = openApi.components.schemas[name]?.properties;
  assert.ok(properties, name);
  return Object.fromEntries(
    Object.entries(properties)
      .map(([key, schema]) => [key, typeInOpenApi(schema)])
      .sort(byKey),
  );
}

function typeInOpenApi(schema: Schema | undefined): string {
  const reference = schema?.$ref ?? schema?.allOf?.[0]?.$ref;
  if (reference !== undefined) {
    // Requests call a record <Record>Input where responses use the record too.
    const name = reference.replace('#/components/schemas/', '').replace(/Input$/, '');
    const items = openApi.components.schemas[name]?.properties?.['Items'];
    return items === undefined
      ? recordName(name)
      : typeInOpenApi(items).replace(/^list of (.*)$/, 'Page<$1>');
  }
  if (schema?.type === 'array') return `list of ${typeInOpenApi(schema.items)}`;
  if (schema?.type === 'boolean') return 'bool';
  if (schema?.format === 'byte') return 'bytes';
  if (schema?.format === 'date-time') return 'time';
  return schema?.type ?? 'missing';
}

/** The one record whose interface name is not an identifier. */
function recordName(name: string): string {
  return name === 'TaskResult' ? 'tasks.Result' : name;
}

function schemaName(record: string): string {
  return record === 'tasks.Result' ? 'TaskResult' : record;
}

function messageOf(record: string): DescMessage {
  const name = schemaName(record);
  const messages = routed.flatMap(({ method }) => [method.input, method.output]).flatMap(reachable);
  const message = messages.find((candidate) => candidate.name === name);
  assert.ok(message, record);
  return message;
}

function reachable(message: DescMessage): DescMessage[] {
  return [
    message,
    ...message.fields.flatMap((field) =>
      field.message === undefined ? [] : reachable(field.message),
    ),
  ];
}

const byKey = ([a = '']: readonly string[], [b = '']: readonly string[]) => a.localeCompare(b);
