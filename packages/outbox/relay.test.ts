import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Broker } from '@bailiwick/broker';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { createHandover, type FreshRow } from './handover.ts';
import { startRelay } from './relay.ts';

const log = createLog('test', () => {});

const row = (id: string): FreshRow => ({
  id,
  forTenant: '',
  type: 'a',
  event: null,
  audit: '{}',
  traceparent: '',
  createdAt: new Date(),
});

test('losses are looked for once the rows that were published before are marked', async () => {
  const happened: string[] = [];
  let connections = 1;
  let listener = () => {};
  const mark = Promise.withResolvers<void>();
  const database = {
    service: 'test',
    onCommit: (wake: () => void) => (listener = wake),
    query: async ({ name }: { name: string }) => {
      if (name === 'outbox.time') happened.push('look for losses');
      return [];
    },
    write: async () => {
      happened.push('begin to mark');
      await mark.promise;
      happened.push('mark');
      return [];
    },
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) =>
      work({ query: async () => [] }),
  } as unknown as Database;
  const broker = {
    isConnected: () => true,
    connections: () => connections,
    states: async () => ({
      EVT: { created: new Date(0), lastSeq: 0 },
      TASK: { created: new Date(0), lastSeq: 0 },
    }),
    publish: async (_subject: string, _body: string, id: string) => happened.push(id),
  } as unknown as Broker;
  const handover = createHandover();
  const relay = startRelay({ database, handover, broker, log, intervalMs: 3_600_000 });
  while (!happened.includes('look for losses')) await setImmediate();
  happened.length = 0;
  handover.add([row('evt_1')]);
  while (!happened.includes('begin to mark')) await setImmediate();
  // The broker has lost its streams with the row, which the table does not show as published yet.
  connections = 2;
  listener();
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  mark.resolve();
  while (!happened.includes('look for losses')) await setImmediate();
  await relay.stop();
  assert.deepEqual(happened, ['evt_1', 'begin to mark', 'mark', 'look for losses']);
});
