import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { GroupSchema, GroupsGetResponseSchema, GroupsSaveRequestSchema } from '../gen/bailiwick/access/v1/groups_pb.ts';
import { WebhooksCreateEndpointRequestSchema, WebhooksDeliverRequestSchema, WebhookEndpointSchema } from '../gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { decodeJson } from './decode.ts';
import { encodeJson } from './encode.ts';

const decodeEndpoint = (endpoint: unknown) => decodeJson(WebhooksCreateEndpointRequestSchema, { Endpoint: endpoint }, ['endpoint.id']);

test('decodeJson drops server-managed and assigned keys whatever they hold', () => {
  const { message, problems } = decodeEndpoint({ ID: 7, DekID: {}, SecretEnc: 'x', CreatedAt: [], Name: 'a' });
  assert.deepEqual(problems, []);
  assert.deepEqual(message, create(WebhooksCreateEndpointRequestSchema, { endpoint: { name: 'a' } }));
});

test('decodeJson lists every wrong type by its JSON path', () => {
  const { problems } = decodeEndpoint({ Name: 1, URL: [], Active: 'yes', EventTypes: ['a', 2], RateLimit: 1.5 });
  assert.deepEqual(problems, [
    'Endpoint.Name must be a string',
    'Endpoint.URL must be a string',
    'Endpoint.Active must be true or false',
    'Endpoint.EventTypes[1] must be a string',
    'Endpoint.RateLimit must be a whole number',
  ]);
});

test('decodeJson ignores unknown keys and proto names, and reads null as absent', () => {
  const { message, problems } = decodeEndpoint({ name: 'x', event_types: 5, Bogus: {}, Name: null, Active: null });
  assert.deepEqual(problems, []);
  assert.deepEqual(message, create(WebhooksCreateEndpointRequestSchema, { endpoint: {} }));
});

test('decodeJson tells an absent list from an empty one', () => {
  const listOf = (endpoint: unknown) => (decodeEndpoint(endpoint).message as unknown as { endpoint: { eventTypes?: { items: string[] } } }).endpoint.eventTypes;
  assert.equal(listOf({}), undefined);
  assert.deepEqual(listOf({ EventTypes: [] })?.items, []);
});

test('decodeJson refuses U+0000, lone surrogates and keys that reach a prototype', () => {
  const metadata = JSON.parse('{"__proto__":"x","a":"\\u0000"}') as unknown;
  const { problems } = decodeJson(GroupsSaveRequestSchema, { Group: { Path: 'a\ud800', Metadata: metadata } });
  assert.equal(problems.length, 3, problems.join('\n'));
});

test('decodeJson takes base64 in both alphabets, padded or not', () => {
  const bodyOf = (text: string) =>
    Buffer.from((decodeJson(WebhooksDeliverRequestSchema, { Body: text }).message as unknown as { body: Uint8Array }).body).toString('hex');
  for (const text of ['+/8=', '-_8=', '-_8', '+/8']) assert.equal(bodyOf(text), 'fbff', text);
  assert.deepEqual(decodeJson(WebhooksDeliverRequestSchema, { Body: 'a' }).problems, ['Body must be base64']);
  assert.deepEqual(decodeJson(WebhooksDeliverRequestSchema, { Body: '*' }).problems, ['Body must be base64']);
});

test('encodeJson writes unset texts, booleans and lists, and leaves unset times out', () => {
  const json = encodeJson(WebhookEndpointSchema, create(WebhookEndpointSchema, { name: 'a', createdAt: timestampFromDate(new Date('2026-01-02T03:04:05Z')) }));
  assert.equal(json['Active'], false);
  assert.equal(json['URL'], '');
  assert.deepEqual(json['EventTypes'], []);
  assert.equal(json['SecretEnc'], '');
  assert.equal(json['CreatedAt'], '2026-01-02T03:04:05.000Z');
  assert.ok(!('UpdatedAt' in json));
  assert.deepEqual(encodeJson(GroupSchema, create(GroupSchema, {}))['Metadata'], {});
});

test('encodeJson writes an absent record as null where that is asked for', () => {
  assert.deepEqual(encodeJson(GroupsGetResponseSchema, create(GroupsGetResponseSchema, {}), true), { Group: null });
  assert.deepEqual(encodeJson(GroupsGetResponseSchema, create(GroupsGetResponseSchema, {})), {});
});
