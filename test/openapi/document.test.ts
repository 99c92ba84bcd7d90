import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { decodeJson, isId, operations, validate } from '@bailiwick/contract';
import { openApiDocument } from '@bailiwick/gateway/documents/docs.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { documented } from '../interface/documented.ts';

// Validates openapi.json with OpenAPI's own schema, and its examples with JSON Schema.

type Media = {
  readonly schema: { readonly $ref: string };
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: ErrorBody }>;
};
type Content = { readonly 'application/json': Media };
type Response = { readonly $ref?: string; readonly content?: Content };
type Endpoint = {
  readonly operationId: string;
  readonly security: ReadonlyArray<Record<string, unknown>>;
  readonly requestBody: { readonly content: Content };
  readonly responses: Record<string, Response>;
  readonly 'x-permission': string;
};
type ErrorBody = {
  readonly Code: string;
  readonly Message: string;
  readonly Messages: readonly string[];
  readonly Problems: readonly unknown[];
  readonly RequestID: string;
};
type Document = {
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Record<string, Record<string, Endpoint>>;
  readonly components: {
    readonly responses: Record<string, Response>;
    readonly securitySchemes: Record<string, unknown>;
  };
};

const text = await readFile(join(import.meta.dirname, '../../gateway/openapi.json'), 'utf8');
const document: Document = JSON.parse(text);
const routed = [...operations.values()].filter((operation) => operation.public);
const endpoints = routed.map((operation) => ({
  operation,
  endpoint: document.paths[`/${operation.name}`]?.['post'] ?? assert.fail(operation.name),
}));

// OpenAPI's own keywords are not JSON Schema's. In an example, a key that no schema names is a
// mistake.
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
// Formats of OpenAPI that this library does not check.
for (const format of ['idn-email', 'idn-hostname']) ajv.addFormat(format, true);
ajv.addSchema(closed(JSON.parse(text)) as object, 'openapi');

/** The document with additionalProperties: false in every object that lists its keys. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && copy['type'] === 'object'
    ? { ...copy, additionalProperties: false }
    : copy;
}

function assertHolds(media: Media, value: unknown, where: string): void {
  const matches = ajv.validate(`openapi${media.schema.$ref}`, value);
  assert.ok(matches, `${where}: ${ajv.errorsText()} in ${JSON.stringify(value)}`);
}

const responseOf = (response: Response | undefined): Response =>
  response?.$ref === undefined
    ? (response ?? {})
    : (document.components.responses[response.$ref.replace('#/components/responses/', '')] ?? {});

test('openapi.json is valid OpenAPI 3.0', async () => {
  const result = await new Validator().validate(structuredClone(document));
  assert.deepEqual(result, { valid: true });
});

test('the OpenAPI validator finds an invalid response', async () => {
  const { paths, ...rest } = structuredClone(document) as unknown as Record<string, unknown>;
  const result = await new Validator().validate({
    ...rest,
    paths: { ...(paths as object), '/Wrong': { post: { responses: 1 } } },
  });
  assert.equal(result.valid, false);
});

test('every operation has a request and a response example, and they match their schemas', () => {
  for (const { operation, endpoint } of endpoints) {
    const requestMedia = endpoint.requestBody.content['application/json'];
    assertHolds(
      requestMedia,
      requestMedia.example ?? assert.fail(operation.name),
      `${operation.name} request`,
    );
    // A long text has no schema.
    if (operation.stream) continue;
    const responseMedia = endpoint.responses['200']?.content?.['application/json'];
    assert.ok(responseMedia?.example !== undefined, operation.name);
    assertHolds(responseMedia, responseMedia.example, `${operation.name} response`);
  }
});

test('a wrong example is found', () => {
  const media =
    document.paths['/Account_Register']?.['post']?.requestBody.content['application/json'] ??
    assert.fail();
  for (const wrong of [
    { Email: 'a@example.com' },
    { Email: 'a@example.com', Password: 'short' },
    { ...(media.example as object), Unknown: 1 },
  ])
    assert.throws(() => assertHolds(media, wrong, 'wrong'));
});

for (const day of ['2025-02-28T23:59:59.999Z', '2028-02-29T12:00:00Z', '2047-12-31T00:00:00Z'])
  test(`every request example passes the validation of a call on ${day.slice(0, 10)}`, (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse(day) });
    const current = openApiDocument();
    assert.equal(openApiDocument(), current, 'built once a day');
    const moved = current.body.toString();
    const served = JSON.parse(moved) as Document;
    for (const { operation } of endpoints) {
      const example = served.paths[`/${operation.name}`]?.['post']?.requestBody.content[
        'application/json'
      ].example as Record<string, unknown>;
      const { message, problems } = decodeJson(operation.method.input, example, operation);
      assert.deepEqual(
        [...problems, ...validate(operation.method.input, message)],
        [],
        operation.name,
      );
      assert.doesNotMatch(JSON.stringify(example), /"ExpiresAt":"(?:19|20[01])/);
    }
    assert.equal(
      new Set(moved.match(/"20\d\d-[^"]*Z"/g)).size,
      new Set(text.match(/"20\d\d-[^"]*Z"/g)).size,
    );
  });

test('identifiers in the examples are TypeIDs, addresses are at example.com, and no token is a real one', () => {
  const prefixes = [
    'usr',
    'tnt',
    'inv',
    'grp',
    'rol',
    'grt',
    'ggr',
    'bgr',
    'bot',
    'bky',
    'btr',
    'dom',
    'aud',
    'ses',
    'fac',
    'psk',
    'sso',
    'app',
    'whk',
    'slk',
    'wpt',
    'lck',
    'dek',
    'evt',
  ] as const;
  for (const [value, prefix] of text.matchAll(/(?<=["/])([a-z]{3})_[0-9a-z]{26}(?=["/])/g))
    assert.ok(
      prefixes.some((name) => name === prefix && isId(name, value)),
      value,
    );
  for (const prefix of prefixes)
    assert.match(text, new RegExp(`["/]${prefix}_[0-9a-z]{26}["/]`), prefix);
  for (const [, host] of text.matchAll(/[\w.]+@([\w.-]+)/g)) assert.equal(host, 'example.com');
  for (const [token] of text.matchAll(/\bbwk[a-z]_[0-9A-Za-z]{9,}/g))
    assert.match(token, /^bwk[a-z]_(Example){7}$/);
});

test('every failure has examples of ErrorResponse with the codes of its status', () => {
  const codes: Record<string, readonly string[]> = {
    400: ['invalid_argument', 'not_found', 'failed_precondition'],
    401: ['unauthenticated'],
    403: ['permission_denied'],
    404: ['not_found'],
    405: ['invalid_argument'],
    429: ['resource_exhausted'],
    500: ['internal', 'unavailable'],
  };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(item).filter(
      ([key]) => key !== 'parameters',
    )) {
      for (const [status, response] of Object.entries(responses).filter(([key]) => key >= '400')) {
        const where = `${method} ${path} ${status}`;
        const media = responseOf(response).content?.['application/json'] ?? assert.fail(where);
        const values = Object.values(media.examples ?? {}).map(({ value }) => value);
        assert.ok(values.length > 0, where);
        for (const example of values) {
          assertHolds(media, example, where);
          assert.ok(codes[status]?.includes(example.Code), `${where}: ${example.Code}`);
          assert.equal(example.Message, example.Messages[0], where);
          const isInvalid = example.Code === 'invalid_argument';
          assert.equal(example.Problems.length, isInvalid ? example.Messages.length : 0, where);
        }
      }
    }
  }
});

test('if the interface documents validation messages, the 400 example has all of them', () => {
  for (const name of new Set(documented.validation.map(({ operation }) => operation))) {
    const media = responseOf(document.paths[`/${name}`]?.['post']?.responses['400']).content?.[
      'application/json'
    ];
    const messages = documented.validation
      .filter(({ operation }) => operation === name)
      .map(({ message }) => message);
    assert.deepEqual(media?.examples?.['Invalid']?.value.Messages, messages, name);
  }
});

test('security names the credential that the gateway requires, and x-permission the permission', () => {
  const schemes = {
    none: [],
    session: ['session'],
    any: ['session', 'botKey'],
    bot: ['botKey'],
    worker: ['worker'],
    portal: ['portalSession'],
    service: undefined,
  };
  for (const { operation, endpoint } of endpoints) {
    const own = schemes[operation.credential] ?? [];
    const isForPeopleOrBots =
      own.length > 0 && !['worker', 'portal'].includes(operation.credential);
    assert.deepEqual(
      endpoint.security.flatMap((one) => Object.keys(one)),
      isForPeopleOrBots && operation.accessToken !== 'refused' ? [...own, 'accessToken'] : own,
      operation.name,
    );
    for (const rule of operation.allow)
      if ('permission' in rule)
        assert.ok(
          endpoint['x-permission'].includes(rule.permission),
          `${operation.name}: ${rule.permission}`,
        );
  }
  assert.deepEqual(Object.keys(document.components.securitySchemes).sort(), [
    'accessToken',
    'botKey',
    'portalSession',
    'session',
    'worker',
  ]);
});

test('the server is the document’s origin, below any path prefix', () => {
  const [{ url } = { url: '' }] = document.servers;
  assert.equal(
    new URL(url, 'https://example.com/iam/openapi.json').href,
    'https://example.com/iam/',
  );
});
