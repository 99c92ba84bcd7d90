import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { brokerWith, databaseWith, relayWith, row } from './relay-stand-ins.ts';

test('losses are looked for once the rows that were published before are marked', async () => {
  const happened: string[] = [];
  let connections = 1;
  let listener = () => {};
  const mark = Promise.withResolvers<void>();
  const database = databaseWith({
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
  });
  const broker = brokerWith({
    connections: () => connections,
    publish: async (_subject: string, _body: string, id: string) => happened.push(id),
  });
  const { handover, relay } = relayWith(database, broker);
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

test('tasks are no first publications if their event was stored late or over another connection', async () => {
  const firsts: string[] = [];
  let connections = 1;
  let isRead = false;
  const database = databaseWith({
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      isRead = true;
      return work({ query: async () => [] });
    },
  });
  const rows = ['evt_1', 'evt_2', 'evt_3'].map((id) => ({
    ...row(id),
    makeTasks: async (isFirst: boolean) => void firsts.push(`${id}: ${isFirst}`),
  }));
  const broker = brokerWith({
    connections: () => connections,
    publish: async (_subject: string, _body: string, id: string) => {
      const [, late] = rows;
      if (late && id === 'evt_2:tasks') late.createdAt = new Date(Date.now() - 1000);
      if (id === 'evt_3:tasks') connections = 2;
      return 7;
    },
  });
  const { handover, relay } = relayWith(database, broker);
  while (!isRead) await setImmediate();
  for (const [index, fresh] of rows.entries()) {
    handover.add([fresh]);
    while (firsts.length === index) await setImmediate();
  }
  await relay.stop();
  assert.deepEqual(firsts, ['evt_1: true', 'evt_2: false', 'evt_3: false']);
});

test('a row whose mark failed is published from the table at once', async () => {
  let reads = 0;
  const database = databaseWith({
    write: () => Promise.reject(new Error('the database is away')),
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      const query = async (...[, [, skipped]]: [unknown, [number, readonly string[]]]) => {
        reads++;
        assert.deepEqual(skipped, []);
        return [];
      };
      return work({ query });
    },
  });
  const broker = brokerWith({});
  const { handover, relay } = relayWith(database, broker);
  while (reads === 0) await setImmediate();
  handover.add([row('evt_1')]);
  // Neither a commit nor another row wakes the relay.
  while (reads === 1) await setImmediate();
  await relay.stop();
});
