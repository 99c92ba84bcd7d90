import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { WebhookEndpointSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { create } from '@bufbuild/protobuf';
import { toApi, toJson, updateOf } from './api-record.ts';
import type { WebhookEndpointRow } from './entities.ts';

const row = {
  tenant: 'tnt_1',
  id: 'whk_1',
  name: 'one',
  url: '',
  urlEnc: Buffer.from('sealed url'),
  urlDekId: 'dek_2',
  urlMasked: 'https://receiver.example/in?…',
  active: false,
  eventTypes: ['user.*'],
  description: 'of the shop',
  rateLimit: 5,
  dekId: 'dek_1',
  secretEnc: Buffer.from('sealed'),
  disabledReason: 'gone',
  disabledAt: new Date('2026-01-02T00:00:00Z'),
  createdAt: new Date('2026-01-01T00:00:00Z'),
  updatedAt: new Date('2026-01-01T00:00:00Z'),
} as WebhookEndpointRow;

test('the API record shows the whole URL, and the JSON record never the sealed secret', () => {
  const url = 'https://receiver.example/in?key=secret';
  assert.equal(toApi(row, url).url, url);
  const json = toJson(row);
  assert.equal(json['SecretEnc'], '');
  assert.equal(json['DekID'], 'dek_1');
  assert.deepEqual(json['EventTypes'], ['user.*']);
});

test('an event of a webhook endpoint masks the URL, whether it is sealed or in clear', () => {
  assert.equal(toJson(row)['URL'], 'https://receiver.example/in?…');
  const url = 'https://receiver.example/other?key=secret';
  assert.equal(toJson({ ...row, url })['URL'], 'https://receiver.example/other?…');
});

test('times that the driver returns as text are parsed', () => {
  assert.equal(
    toJson({ ...row, createdAt: '2026-01-01 00:00:00.120+00' })['CreatedAt'],
    '2026-01-01T00:00:00.120Z',
  );
});

test('an update keeps absent fields and replaces the name', () => {
  const update = updateOf(
    create(WebhookEndpointSchema, { id: 'whk_1', name: 'two', url: 'https://other.example/' }),
    row,
  );
  assert.deepEqual(update, {
    name: 'two',
    active: false,
    eventTypes: ['user.*'],
    description: 'of the shop',
    rateLimit: 5,
    disabledReason: 'gone',
    disabledAt: row.disabledAt,
  });
});

test('an update with Active true clears the reason for disabling the endpoint', () => {
  const update = updateOf(
    create(WebhookEndpointSchema, {
      name: 'one',
      url: 'https://receiver.example/',
      active: true,
      eventTypes: { items: [] },
    }),
    row,
  );
  assert.deepEqual(
    [update.active, update.disabledReason, update.disabledAt, update.eventTypes],
    [true, '', null, []],
  );
});

test('an update ignores fields that the service manages', () => {
  const update = updateOf(
    create(WebhookEndpointSchema, {
      name: 'one',
      url: 'https://receiver.example/',
      dekId: 'dek_2',
      secretEnc: Buffer.from('x'),
      disabledReason: 'mine',
      tenant: 'tnt_2',
    }),
    row,
  );
  assert.equal(update.disabledReason, 'gone');
  for (const name of ['dekId', 'secretEnc', 'tenant', 'id']) assert.ok(!(name in update));
});
