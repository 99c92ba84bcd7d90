import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createHandover } from './handover.ts';
import type { Waiting } from './queries.ts';
import { brokerWith, databaseWith, relayWith, row } from './relay-stand-ins.ts';
import { firstPublicationHeader } from './tasks.ts';

test('rows that are old, large or too many are left to the table', () => {
  const handover = createHandover();
  const take = () => {
    const { rows, hasMore } = handover.take();
    return [rows.length, hasMore];
  };
  handover.add([row('evt_1'), row('evt_2', { age: 59_000 })]);
  assert.deepEqual(take(), [2, false]);
  assert.deepEqual(take(), [0, false]);
  handover.add([row('evt_1'), row('evt_2', { age: 60_000 })]);
  assert.deepEqual(take(), [1, true]);
  handover.add([row('evt_1'), row('evt_2', { audit: 'x'.repeat(16_385) })]);
  assert.deepEqual(take(), [1, true]);
  handover.add(Array.from({ length: 1001 }, (_, index) => row(`evt_${index}`)));
  assert.deepEqual(take(), [1000, true]);
  assert.deepEqual(take(), [0, false]);
});

test('a relay does not publish rows that another replica published while its own broker was away', async () => {
  const happened: string[] = [];
  let isAway = false;
  const database = databaseWith({
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      happened.push('read');
      // The other replica has published all rows.
      return work({ query: async () => [] });
    },
  });
  const broker = brokerWith({
    isConnected: () => !isAway,
    publish: async (_subject: string, _body: string, id: string) => happened.push(id),
  });
  const { handover, relay } = relayWith(database, broker, 1);
  while (!happened.includes('read')) await setImmediate();
  isAway = true;
  handover.add([row('evt_1')]);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  happened.length = 0;
  isAway = false;
  while (!happened.includes('read')) await setImmediate();
  handover.add([row('evt_2')]);
  while (!happened.includes('evt_2')) await setImmediate();
  await relay.stop();
  assert.deepEqual(happened, ['read', 'evt_2']);
});

test('a row with tasks counts as published once they are stored, and else is left to the table and to fan-out', async () => {
  const happened: string[] = [];
  let isRefused = false;
  let waiting: Waiting[] = [];
  const database = databaseWith({
    write: async (_call: unknown, _statement: unknown, [published]: [string]) =>
      happened.push(`mark ${published}`),
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      happened.push('read');
      return work({ query: async () => waiting.splice(0) });
    },
  });
  const broker = brokerWith({
    publish: async (_subject: string, _body: string, id: string, fields: object = {}) => {
      happened.push([id, ...Object.keys(fields)].join(' '));
      return 7;
    },
  });
  const makeTasks = async () => {
    happened.push('tasks');
    if (isRefused) throw new Error('the stream is full');
  };
  const { handover, relay } = relayWith(database, broker);
  while (!happened.includes('read')) await setImmediate();
  happened.length = 0;
  handover.add([{ ...row('evt_1'), makeTasks }]);
  const mark = 'mark [{"id":"evt_1","seq":7}]';
  while (!happened.includes(mark)) await setImmediate();
  assert.deepEqual(happened, ['evt_1:tasks Bailiwick-Tasks-Made', 'tasks', mark]);
  happened.length = 0;
  isRefused = true;
  const { forTenant: for_tenant, createdAt: _, ...rest } = row('evt_2');
  waiting = [{ ...rest, for_tenant, tasks: [], stream_seq: null }];
  handover.add([{ ...row('evt_2'), makeTasks }]);
  while (!happened.includes('evt_2')) await setImmediate();
  assert.deepEqual(happened, ['evt_2:tasks Bailiwick-Tasks-Made', 'tasks', 'read', 'evt_2']);
  await relay.stop();
});

test('while the broker refuses rows, those behind them are left to the table', async () => {
  const ids: string[] = [];
  let isRead = false;
  const database = databaseWith({
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      isRead = true;
      return work({ query: async () => [] });
    },
  });
  const broker = brokerWith({
    publish: async (_subject: string, _body: string, id: string) => {
      ids.push(id);
      if (id === 'evt_150') throw new Error('no answer');
      return 7;
    },
  });
  const { handover, relay } = relayWith(database, broker);
  while (!isRead) await setImmediate();
  isRead = false;
  handover.add(Array.from({ length: 350 }, (_, index) => row(`evt_${index}`)));
  while (!isRead) await setImmediate();
  assert.equal(ids.length, 200);
  await relay.stop();
});

test('a row that was read from the table before the handover got it is published once', async () => {
  const ids: string[] = [];
  let listener = () => {};
  let waiting: Waiting[] = [];
  const database = databaseWith({
    onCommit: (onCommit: () => void) => void (listener = onCommit),
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) =>
      work({ query: async () => waiting.splice(0) }),
  });
  const broker = brokerWith({
    publish: async (_subject: string, _body: string, id: string) => ids.push(id),
  });
  const makeTasks = async () => {};
  const { handover, relay } = relayWith(database, broker);
  const { forTenant: for_tenant, createdAt: _, ...rest } = row('evt_1');
  waiting = [{ ...rest, for_tenant, tasks: [], stream_seq: null }];
  listener();
  while (!ids.includes('evt_1')) await setImmediate();
  handover.add([row('evt_1'), row('evt_2')].map((fresh) => ({ ...fresh, makeTasks })));
  while (!ids.includes('evt_2:tasks')) await setImmediate();
  await relay.stop();
  assert.deepEqual(ids, ['evt_1', 'evt_2:tasks']);
});

test('a row from memory is a first publication, unless another replica may have published it', async () => {
  const marks: string[] = [];
  let isRead = false;
  let waiting: Waiting[] = [];
  const database = databaseWith({
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      isRead = true;
      return work({ query: async () => waiting.splice(0) });
    },
  });
  const broker = brokerWith({
    publish: async (_subject: string, _body: string, id: string, fields: object = {}) =>
      marks.push(`${id}: ${firstPublicationHeader in fields}`),
  });
  const { forTenant: for_tenant, createdAt: _, ...rest } = row('evt_0');
  waiting = [{ ...rest, for_tenant, tasks: [], stream_seq: '7' }];
  const { handover, relay } = relayWith(database, broker);
  while (!isRead) await setImmediate();
  const makeTasks = async (isFirst: boolean) => void marks.push(`tasks: ${isFirst}`);
  handover.add([row('evt_1'), row('evt_2', { age: 1000 })]);
  handover.add([
    { ...row('evt_3'), makeTasks },
    { ...row('evt_4', { age: 1000 }), makeTasks },
  ]);
  while (marks.length < 7) await setImmediate();
  await relay.stop();
  assert.deepEqual(marks.toSorted(), [
    'evt_0:7: false',
    'evt_1: true',
    'evt_2: false',
    'evt_3:tasks: false',
    'evt_4:tasks: false',
    'tasks: false',
    'tasks: true',
  ]);
});

test('a row that was published from memory is not read before it is marked', async () => {
  const ids: string[] = [];
  const skipped: Array<readonly string[]> = [];
  let isRead = false;
  let listener = () => {};
  const mark = Promise.withResolvers<void>();
  const database = databaseWith({
    onCommit: (wake: () => void) => (listener = wake),
    write: () => mark.promise,
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      isRead = true;
      const query = async (...[, [, ids]]: [unknown, [number, readonly string[]]]) => {
        skipped.push(ids);
        return [];
      };
      return work({ query });
    },
  });
  const broker = brokerWith({
    publish: async (_subject: string, _body: string, id: string) => ids.push(id),
  });
  const { handover, relay } = relayWith(database, broker);
  while (!isRead) await setImmediate();
  isRead = false;
  handover.add([row('evt_1')]);
  while (ids.length === 0) await setImmediate();
  listener();
  while (!isRead) await setImmediate();
  assert.deepEqual(skipped.at(-1), ['evt_1']);
  const stopped = relay.stop();
  mark.resolve();
  await stopped;
});
