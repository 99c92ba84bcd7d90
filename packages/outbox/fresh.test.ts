import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Broker } from '@bailiwick/broker';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { type FreshRow, handOver, takeFresh } from './fresh.ts';
import { startRelay } from './relay.ts';

const row = (id: string, { age = 0, audit = '{}' } = {}): FreshRow => ({
  id,
  forTenant: '',
  type: 'a',
  event: null,
  audit,
  traceparent: '',
  createdAt: new Date(Date.now() - age),
});

test('rows that are old, large or too many are left to the table', () => {
  const database = {} as Database;
  const take = () => {
    const { rows, hasMore } = takeFresh(database);
    return [rows.length, hasMore];
  };
  handOver(database, [row('evt_1'), row('evt_2', { age: 59_000 })]);
  assert.deepEqual(take(), [2, false]);
  assert.deepEqual(take(), [0, false]);
  handOver(database, [row('evt_1'), row('evt_2', { age: 60_000 })]);
  assert.deepEqual(take(), [1, true]);
  handOver(database, [row('evt_1'), row('evt_2', { audit: 'x'.repeat(16_385) })]);
  assert.deepEqual(take(), [1, true]);
  handOver(
    database,
    Array.from({ length: 1001 }, (_, index) => row(`evt_${index}`)),
  );
  assert.deepEqual(take(), [1000, true]);
  assert.deepEqual(take(), [0, false]);
});

test('a relay does not publish rows that another replica published while its own broker was away', async () => {
  const happened: string[] = [];
  let isAway = false;
  const database = {
    service: 'test',
    onCommit: () => {},
    query: async () => [],
    transaction: async (_tenant: null, work: (em: unknown) => unknown) => {
      happened.push('read');
      // The other replica has published all rows.
      return work({ getTransactionContext: () => ({ executeQuery: async () => ({ rows: [] }) }) });
    },
  } as unknown as Database;
  const broker = {
    isConnected: () => !isAway,
    connections: () => 1,
    states: async () => ({
      EVT: { created: new Date(0), lastSeq: 0 },
      TASK: { created: new Date(0), lastSeq: 0 },
    }),
    publish: async (_subject: string, _body: string, id: string) => happened.push(id),
  } as unknown as Broker;
  const relay = startRelay({ database, broker, log: createLog('test', () => {}), intervalMs: 1 });
  while (!happened.includes('read')) await setImmediate();
  isAway = true;
  handOver(database, [row('evt_1')]);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  happened.length = 0;
  isAway = false;
  while (!happened.includes('read')) await setImmediate();
  handOver(database, [row('evt_2')]);
  while (!happened.includes('evt_2')) await setImmediate();
  await relay.stop();
  assert.deepEqual(happened, ['read', 'evt_2']);
});
