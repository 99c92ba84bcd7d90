import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, beforeEach, test } from 'node:test';
import { type Broker, openBroker } from '@bailiwick/broker';
import { createId } from '@bailiwick/contract';
import { wantsContainers } from '@bailiwick/deploy/local/providers.ts';
import {
  createHandover,
  findLosses,
  noticeTask,
  OutboxEntity,
  startRelay,
} from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { type Database, openDatabase } from '@bailiwick/store';
import { connect } from 'nats';
import { deleteStreams, startTestBroker, type TestBroker, testOwner } from '../support/broker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { countOf, rowsOf } from '../support/store.ts';

// Messages that the broker lost are published again: all of them, no others, and once, with any
// number of relays.

const log = createLog('test', () => {});
const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-loss-'));

let server: TestBroker;
let store: TestDatabase;
let relays: Array<{ broker: Broker; database: Database; stop(): Promise<void> }> = [];

before(async () => {
  [server, store] = await Promise.all([
    startTestBroker(path.join(folder, 'nats')),
    createTestDatabase(),
  ]);
  relays = [startOne(), startOne()];
});
after(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await Promise.all([server?.remove(), store?.drop()]);
  rmSync(folder, { recursive: true, force: true });
});

function startOne() {
  const broker = openBroker({ url: server.url, name: 'test', log });
  broker.claim(testOwner);
  const database = openDatabase({
    service: 'access',
    url: databaseUrl(),
    entities: [OutboxEntity],
    poolSize: 4,
    log,
  });
  const relay = startRelay({ database, handover: createHandover(), broker, log, intervalMs: 50 });
  return {
    broker,
    database,
    stop: async () => (await relay.stop(), await broker.close(), await database.close()),
  };
}

const databaseUrl = () => store.url;
const place = {
  get databaseUrl() {
    return databaseUrl();
  },
};

/** Inserts outbox rows as changes do. Every second row has a task. */
async function change(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createId('evt'));
  const rows = ids.map((id, index) => ({
    id,
    tasks: index % 2 ? [noticeTask('password_changed', `${id}@example.com`)] : [],
  }));
  await rowsOf(
    place,
    `insert into access.outbox (id, for_tenant, type, event, audit, tasks, created_at)
     select id, 'tnt_1', 'group.created', '{}', '{}', tasks, now() from jsonb_to_recordset($1::jsonb) as r (id text, tasks jsonb)`,
    [JSON.stringify(rows)],
  );
  return ids;
}

const published = () =>
  eventually(
    'the relay',
    async () => (await countOf(place, 'access.outbox where published_at is null')) === 0,
  );

/** The number of copies of each message in a stream, by its first message id. */
async function messagesIn(stream: 'EVT' | 'TASK'): Promise<Map<string, number>> {
  const connection = await connect({ servers: server.url });
  const { streams } = await connection.jetstreamManager();
  const { state } = await streams.info(stream);
  const counts = new Map<string, number>();
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
    const id =
      (await streams.getMessage(stream, { seq })).header.get('Nats-Msg-Id').split(':')[0] ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  await connection.close();
  return counts;
}

async function restart(): Promise<void> {
  await server.kill();
  await server.start();
}

const bothConnected = () =>
  eventually('both relays', () =>
    Promise.resolve(relays.every(({ broker }) => broker.isConnected())),
  );

beforeEach(async () => {
  await deleteStreams(server.url);
  await rowsOf(place, 'delete from access.outbox');
  await restart();
  await bothConnected();
});

/** Waits until the stream holds exactly these counts, and checks that the relays find no loss. */
async function assertHeld(
  stream: 'EVT' | 'TASK',
  expected: ReadonlyMap<string, number>,
): Promise<void> {
  const sorted = (counts: ReadonlyMap<string, number>) =>
    JSON.stringify([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await eventually(
    `${stream} to hold ${expected.size}`,
    async () => sorted(await messagesIn(stream).catch(() => new Map())) === sorted(expected),
  ).catch(async () => assert.deepEqual(await messagesIn(stream), expected));
  // A request in flight during the kill of the broker fails, so it is repeated once.
  const lossesOf = ({ database, broker }: (typeof relays)[number]) =>
    findLosses({ database, broker, log }).catch(() => findLosses({ database, broker, log }));
  assert.deepEqual(await Promise.all(relays.map(lossesOf)), [0, 0]);
}

const each = (ids: readonly string[], times: number): Array<[string, number]> =>
  ids.map((id) => [id, times]);

test('two relays refill a wiped store once from 24 hours of the outbox', async () => {
  const ids = await change(700);
  await published();
  await server.wipe();
  await server.start();
  const meanwhile = await change(20);
  await assertHeld('EVT', new Map(each([...ids, ...meanwhile], 1)));
  assert.equal((await messagesIn('TASK')).size, 360);
});

test('a relay republishes lost tasks together with their events, which stay in the other stream', async () => {
  const ids = await change(30);
  await published();
  await deleteStreams(server.url, ['TASK']);
  await restart();
  await assertHeld('EVT', new Map(each(ids, 2)));
  assert.equal((await messagesIn('TASK')).size, 15);
});

test('a relay republishes lost events without tasks that are still in their stream', async () => {
  const ids = await change(30);
  await published();
  await deleteStreams(server.url, ['EVT']);
  await restart();
  await assertHeld('EVT', new Map(each(ids, 1)));
  assert.deepEqual(
    [...(await messagesIn('TASK')).values()],
    Array.from({ length: 15 }, () => 1),
  );
});

const copies = {
  skip: wantsContainers(process.env) && 'the store of a container is not accessible',
};

test(
  'a relay republishes newer messages after a restored backup, even if others have filled the gap',
  copies,
  async () => {
    const old = await change(300);
    await published();
    await rowsOf(
      place,
      `update access.outbox set published_at = published_at - interval '10 minutes'`,
    );
    const backup = path.join(folder, 'kept');
    await server.kill();
    cpSync(path.join(server.storeDir, 'jetstream'), backup, { recursive: true });
    await server.start();
    await bothConnected();
    const lost = await change(50);
    await published();
    await server.wipe();
    cpSync(backup, path.join(server.storeDir, 'jetstream'), { recursive: true });
    await server.start();
    const others = await fillGap(80);
    await assertHeld('EVT', new Map([...each(old, 1), ...each(lost, 1), ...each(others, 1)]));
  },
);

/** Publishes events of another service before the relay checks for losses. */
async function fillGap(count: number): Promise<string[]> {
  const connection = await connect({ servers: server.url });
  const ids = Array.from({ length: count }, (_, index) => `other-${index}`);
  for (const id of ids) await connection.jetstream().publish('evt.tnt_1.other', id, { msgID: id });
  await connection.close();
  return ids;
}

test('a relay republishes nothing to a broker that restarts with its store', async () => {
  const ids = await change(60);
  await published();
  for (let time = 0; time < 3; time++) await restart();
  await bothConnected();
  await assertHeld('EVT', new Map(each(ids, 1)));
});

test('another relay completes an interrupted republication', async () => {
  const ids = await change(700);
  await published();
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await server.wipe();
  await server.start();
  // The state after the first of several batches: the newest rows are pending, the oldest are lost.
  await rowsOf(
    place,
    'update access.outbox set published_at = null where id in (select id from access.outbox order by id desc limit 400)',
  );
  relays = [startOne(), startOne()];
  await assertHeld('EVT', new Map(each(ids, 1)));
});
