import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { CannotOpen } from '@bailiwick/keys';
import type { Database } from '@bailiwick/store';
import { missReason } from '../fanout/event.ts';
import { findEvent } from './event.ts';

const tenant = 'tnt_1';
const id = createId('evt');

/** The event, of which only a waiting task is stored, with an answer of the key service. */
const find = (failure: Error) => {
  const trace = { tenant, type: null, task: `${id}.whk_1`, dekId: 'dek_1', request: Buffer.of() };
  const query = ({ name }: { name: string }) =>
    Promise.resolve(name === 'notifications.trace_of_event' ? [trace] : []);
  const database = { query } as unknown as Database;
  return findEvent({ database, store: { openRequest: () => Promise.reject(failure) } }, tenant, id);
};

test('an event whose data key was deleted has no type, and an outage of the key service is an error', async () => {
  assert.equal((await find(new CannotOpen('the data key dek_1 is gone')))?.type, '');
  await assert.rejects(find(new Error('the key service is down')), /key service is down/);
});

test('no endpoint misses an event for another reason if its type is for none, or for a test', () => {
  const endpoint = { id: 'whk_1', active: true, eventTypes: [], createdAt: '2026-01-01T00:00:00Z' };
  const timestamp = '2026-01-02T00:00:00Z';
  const event = { id, tenant, timestamp, subject: '', email: '', formerTenants: [], text: '' };
  const reasons = ['key.rotated', 'endpoint.ping', 'group.created'].map((type) =>
    missReason({ ...event, type }, endpoint),
  );
  assert.deepEqual(reasons, ['no_tenant', 'test_only', undefined]);
});
