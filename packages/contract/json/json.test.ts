import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { test } from 'node:test';
import type { Problem } from '@bailiwick/errors';
import { GrantsAddRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import {
  GroupSchema,
  GroupsGetResponseSchema,
  type GroupsSaveRequest,
  GroupsSaveRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { TenantSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { UserSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import {
  type UsersListRequest,
  UsersListRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import {
  WebhookEndpointSchema,
  WebhooksCreateEndpointRequestSchema,
  WebhooksDeliverRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { SsoSaveProviderRequestSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { create, type DescMessage } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { operations } from '../registry.ts';
import { decodeJson } from './decode.ts';
import { encodeJson } from './encode.ts';

const textsOf = (problems: readonly Problem[]) => problems.map(({ text }) => text);

const decodeEndpoint = (endpoint: unknown) =>
  decodeJson(
    WebhooksCreateEndpointRequestSchema,
    { Endpoint: endpoint },
    { assigned: ['endpoint.id'] },
  );

test('decodeJson drops server-managed and assigned keys with values of any type', () => {
  const { message, problems } = decodeEndpoint({
    ID: 7,
    DekID: {},
    SecretEnc: 'x',
    CreatedAt: [],
    Name: 'a',
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    message,
    create(WebhooksCreateEndpointRequestSchema, { endpoint: { name: 'a' } }),
  );
});

test('decodeJson lists every wrong type by its JSON path', () => {
  const { problems } = decodeEndpoint({
    Name: 1,
    URL: [],
    Active: 'yes',
    EventTypes: ['a', 2],
    RateLimit: 1.5,
  });
  assert.deepEqual(textsOf(problems), [
    'Endpoint.Name must be a string',
    'Endpoint.URL must be a string',
    'Endpoint.Active must be true or false',
    'Endpoint.EventTypes[1] must be a string',
    'Endpoint.RateLimit must be a whole number',
  ]);
});

test('decodeJson reads null as absent', () => {
  const { message, problems } = decodeEndpoint({ Name: null, Active: null, EventTypes: null });
  assert.deepEqual(problems, []);
  assert.deepEqual(message, create(WebhooksCreateEndpointRequestSchema, { endpoint: {} }));
});

test('decodeJson rejects each unknown key with its path, and suggests a similar field', () => {
  const { problems } = decodeJson(GrantsAddRequestSchema, {
    Grant: { ExpireAt: '2030-01-01T00:00:00Z', user_id: 1, role: 'x', Bogus: null, 'a b': 1 },
    Grnt: {},
  });
  assert.deepEqual(textsOf(problems), [
    'Grnt is not a known field; did you mean Grant?',
    'Grant.ExpireAt is not a known field; did you mean ExpiresAt?',
    'Grant.user_id is not a known field; did you mean UserID?',
    'Grant.role is not a known field; did you mean Role?',
    'Grant.Bogus is not a known field',
    'Grant["a b"] is not a known field',
  ]);
});

test('decodeJson rejects unknown keys beside wrong types, also in list items, and never suggests a server-managed field', () => {
  const { problems } = decodeJson(SsoSaveProviderRequestSchema, {
    Provider: { Name: 1, GroupMappings: [{ Value: 'a' }, { Valu: 'b' }], CreatedAT: 1 },
  });
  assert.deepEqual(textsOf(problems), [
    'Provider.CreatedAT is not a known field',
    'Provider.Name must be a string',
    'Provider.GroupMappings[1].Valu is not a known field; did you mean Value?',
  ]);
});

test('decodeJson ignores unknown keys if the option says so', () => {
  const { message, problems } = decodeJson(
    GrantsAddRequestSchema,
    { Grant: { Role: 'member', ExpireAt: 5 }, Bogus: {} },
    { unknownKeys: 'ignore' },
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(message, create(GrantsAddRequestSchema, { grant: { role: 'member' } }));
});

test('decodeJson lists at most 100 unknown keys and 100 wrong values and counts the others, for keys of any form', () => {
  const group = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${'x'.repeat(200)}${index}`, 1]),
    );
  const decode = (count: number) => {
    const before = process.cpuUsage();
    const unknown = decodeJson(GroupsSaveRequestSchema, { Group: group(count) }).problems;
    const wrong = decodeJson(GroupsSaveRequestSchema, {
      Group: { Metadata: group(count) },
    }).problems;
    return { unknown, wrong, cpu: process.cpuUsage(before).user };
  };
  const few = Math.min(...[1, 2, 3].map(() => decode(15_000).cpu));
  const { unknown, wrong, cpu } = decode(60_000);
  // Four times the keys take four times the time, and not sixteen times.
  assert.ok(cpu < 10 * few, `${cpu} µs of CPU, and ${few} for a quarter`);
  assert.deepEqual(
    [unknown.length, textsOf(unknown).at(-1)],
    [101, '59900 more keys are not known fields'],
  );
  assert.deepEqual([wrong.length, textsOf(wrong).at(-1)], [101, '59900 more values are wrong']);
  assert.ok(textsOf([...unknown, ...wrong]).join().length < 20_000);
});

test('decodeJson rejects names of prototype members like other unknown keys', () => {
  const json = JSON.parse(
    '{"__proto__":{"Group":{}},"constructor":1,"Group":{"toString":1}}',
  ) as Record<string, unknown>;
  const { message, problems } = decodeJson(GroupsSaveRequestSchema, json);
  assert.deepEqual(textsOf(problems), [
    '__proto__ is not a known field',
    'constructor is not a known field',
    'Group.toString is not a known field',
  ]);
  assert.deepEqual(message, create(GroupsSaveRequestSchema, { group: {} }));
});

test('a record can be sent back as it was read, without unknown keys', () => {
  const pairs: Array<[operation: string, record: DescMessage]> = [
    ['Account_Update', UserSchema],
    ['Users_Create', UserSchema],
    ['Users_Update', UserSchema],
    ['Tenants_Update', TenantSchema],
  ];
  for (const [name, record] of pairs) {
    const input = operations.get(name)?.method.input ?? assert.fail(name);
    const field = input.fields[0]?.jsonName ?? '';
    const { problems } = decodeJson(input, { [field]: encodeJson(record, create(record)) });
    assert.deepEqual(problems, [], name);
  }
});

test('decodeJson distinguishes an absent list from an empty one', () => {
  const listOf = (endpoint: unknown) =>
    (
      decodeEndpoint(endpoint).message as unknown as {
        endpoint: { eventTypes?: { items: string[] } };
      }
    ).endpoint.eventTypes;
  assert.equal(listOf({}), undefined);
  assert.deepEqual(listOf({ EventTypes: [] })?.items, []);
});

test('decodeJson rejects U+0000, lone surrogates and keys such as __proto__', () => {
  const metadata = JSON.parse('{"__proto__":"x","a":"\\u0000"}') as unknown;
  const { problems } = decodeJson(GroupsSaveRequestSchema, {
    Group: { Path: 'a\ud800', Metadata: metadata },
  });
  assert.equal(problems.length, 3, textsOf(problems).join('\n'));
});

test('decodeJson accepts base64 in both alphabets, with and without padding', () => {
  const bodyOf = (text: string) =>
    Buffer.from(
      (
        decodeJson(WebhooksDeliverRequestSchema, { Body: text }).message as unknown as {
          body: Uint8Array;
        }
      ).body,
    ).toString('hex');
  for (const text of ['+/8=', '-_8=', '-_8', '+/8']) assert.equal(bodyOf(text), 'fbff', text);
  assert.deepEqual(textsOf(decodeJson(WebhooksDeliverRequestSchema, { Body: 'a' }).problems), [
    'Body must be base64',
  ]);
  assert.deepEqual(textsOf(decodeJson(WebhooksDeliverRequestSchema, { Body: '*' }).problems), [
    'Body must be base64',
  ]);
});

test('decodeJson accepts only times that exist, in the years 0001 to 9999', () => {
  const read = (time: unknown) => decodeJson(GroupsSaveRequestSchema, { IfUpdatedAt: time });
  const timeOf = (text: string) => {
    const { message, problems } = read(text);
    assert.deepEqual(problems, [], text);
    const { ifUpdatedAt } = message as GroupsSaveRequest;
    assert.ok(ifUpdatedAt, text);
    return timestampDate(ifUpdatedAt).toISOString();
  };
  assert.equal(timeOf('2024-02-29T23:59:59.5+01:00'), '2024-02-29T22:59:59.500Z');
  assert.equal(timeOf('2026-01-31t12:00:00z'), '2026-01-31T12:00:00.000Z');
  assert.equal(timeOf('0001-01-01T00:00:00Z'), '0001-01-01T00:00:00.000Z');
  assert.equal(timeOf('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59.999Z');
  const none = [
    '2026-02-30',
    '2025-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-01',
    '0000-12-31',
  ].map((day) => `${day}T00:00:00Z`);
  const never = [
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
  ];
  const beyond = ['9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+00:01'];
  for (const bad of [...none, ...never, ...beyond, '2026-01-01', '2026-01-01 00:00:00Z', '', 0, {}])
    assert.deepEqual(
      textsOf(read(bad).problems),
      ['IfUpdatedAt must be a time such as 2026-01-31T12:00:00Z'],
      JSON.stringify(bad),
    );
});

test('decodeJson clamps a whole number to the range of its field, so that the rules reject it', () => {
  const read = (limit: unknown) => decodeJson(UsersListRequestSchema, { Page: { Limit: limit } });
  const limitOf = (limit: number) => (read(limit).message as UsersListRequest).page?.limit;
  for (const large of [2 ** 31 - 1, 2 ** 31, 1e300]) assert.equal(limitOf(large), 2 ** 31 - 1);
  for (const small of [-(2 ** 31), -(2 ** 31) - 1, -1e300])
    assert.equal(limitOf(small), -(2 ** 31));
  for (const bad of [1.5, Number.NaN, JSON.parse('1e400'), '1', true])
    assert.deepEqual(
      textsOf(read(bad).problems),
      ['Page.Limit must be a whole number'],
      String(bad),
    );
});

test('encodeJson writes unset strings, booleans and lists, and leaves unset times out', () => {
  const json = encodeJson(
    WebhookEndpointSchema,
    create(WebhookEndpointSchema, {
      name: 'a',
      createdAt: timestampFromDate(new Date('2026-01-02T03:04:05Z')),
    }),
  );
  assert.equal(json['Active'], false);
  assert.equal(json['URL'], '');
  assert.deepEqual(json['EventTypes'], []);
  assert.equal(json['SecretEnc'], '');
  assert.equal(json['CreatedAt'], '2026-01-02T03:04:05.000Z');
  assert.ok(!('UpdatedAt' in json));
  assert.deepEqual(encodeJson(GroupSchema, create(GroupSchema, {}))['Metadata'], {});
});

test('encodeJson with nullRecords writes an absent record as null', () => {
  assert.deepEqual(encodeJson(GroupsGetResponseSchema, create(GroupsGetResponseSchema, {}), true), {
    Group: null,
  });
  assert.deepEqual(encodeJson(GroupsGetResponseSchema, create(GroupsGetResponseSchema, {})), {});
});
