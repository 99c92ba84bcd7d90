import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type Broker, type Owner, openBroker } from '@bailiwick/broker';
import { createOwner } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import {
  AckPolicy,
  connect,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { deleteStreams, startTestBroker, type TestBroker } from '../support/broker.ts';
import { eventually } from '../support/harness.ts';

// Several installations at one NATS server, and streams that a former version or a person made.

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-installations-'));
const key = 'bailiwick.installation';

let server: TestBroker;
let direct: NatsConnection;
let manager: JetStreamManager;
let opened: Broker[] = [];
before(async () => {
  server = await startTestBroker(folder);
  direct = await connect({ servers: server.url });
  manager = await direct.jetstreamManager();
});
beforeEach(() => deleteStreams(server.url));
after(async () => {
  await direct?.close();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const owner = (id: string): Owner => ({ id, recognises: () => Promise.resolve(false) });

/** An owner with the published rows of its outbox. */
const upgraded = (id: string, rows: ReadonlyArray<{ id: string; seq: string }>, adopts = true) =>
  createOwner({ query: () => Promise.resolve(rows as never) }, { id, adopts });

/** A process of an installation; `refusals` are the lines that it would end with. */
function open(claimed: Owner, prefix = '') {
  const refusals: string[] = [];
  const broker = openBroker({
    url: server.url,
    name: 'test',
    prefix,
    log: createLog('test', () => {}),
    refuse: (message) => refusals.push(message),
  });
  broker.claim(claimed);
  opened.push(broker);
  return { broker, refusals };
}

async function withBrokers(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await Promise.all(opened.map((broker) => broker.close()));
    opened = [];
  }
}

const connected = (broker: Broker) =>
  eventually('the broker', () => Promise.resolve(broker.isConnected()));

/** Streams as the version before installations had an id makes them. */
async function formerStreams(): Promise<void> {
  const common = { storage: StorageType.File, duplicate_window: nanos(600_000) };
  const tasks = { retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New };
  const events = { max_age: nanos(7 * 86_400_000), discard: DiscardPolicy.Old };
  await manager.streams.add({ name: 'TASK', subjects: ['task.>'], ...common, ...tasks });
  await manager.streams.add({ name: 'EVT', subjects: ['evt.>'], ...common, ...events });
}

const publishFormer = (subject: string, id: string) =>
  direct.jetstream().publish(subject, id, { msgID: id });

const ownersOfStreams = async () =>
  Promise.all(
    ['EVT', 'TASK'].map(async (name) => (await manager.streams.info(name)).config.metadata?.[key]),
  );

test('a second installation neither publishes to nor reads the streams of the first, and says what to do', () =>
  withBrokers(async () => {
    const [one, two] = [open(owner('one')), open(owner('two'))];
    await Promise.all([connected(one.broker), connected(two.broker)]);
    await one.broker.publish('evt._.user.updated', 'one', 'a');
    const stolen: string[] = [];
    const steal = async (message: { id: string }) => void stolen.push(message.id);
    const consumer = { stream: 'EVT', durable: 'audit', subject: 'evt.>' } as const;
    two.broker.consume({ ...consumer, concurrency: 8, ackWaitMs: 10_000 }, steal);
    await eventually('the refusal', () => Promise.resolve(two.refusals.length > 0));
    await assert.rejects(two.broker.publish('evt._.user.updated', 'two', 'b'), {
      name: 'BrokerProblem',
    });
    await assert.rejects(two.broker.states(), { name: 'BrokerProblem' });
    assert.equal(
      two.refusals[0],
      'the stream TASK belongs to the installation one, and this is two: use a NATS account of its own, set BAILIWICK_NATS_PREFIX, or delete the stream if its installation is gone',
    );
    assert.deepEqual(stolen, []);
    assert.equal((await manager.streams.info('EVT')).state.messages, 1);
    assert.deepEqual(await manager.consumers.list('EVT').next(), []);
    assert.deepEqual(await ownersOfStreams(), ['one', 'one']);
    assert.deepEqual(one.refusals, []);
  }));

test('with a prefix, two installations in one account get their own messages and signals only', () =>
  withBrokers(async () => {
    const installations = [open(owner('one')), open(owner('two'), 'two')];
    const received = installations.map(() => [] as string[]);
    for (const [index, { broker }] of installations.entries()) {
      await connected(broker);
      const mine = received[index] ?? [];
      await broker.listen('bailiwick.revoke', (body, answer) => {
        mine.push(body);
        answer(`heard by ${index}`);
      });
      await broker.listen('bailiwick.ack.x', (body) => mine.push(body));
      broker.consume(
        { stream: 'EVT', durable: 'audit', subject: 'evt.>', concurrency: 8, ackWaitMs: 10_000 },
        async (message) => {
          mine.push(`${message.subject} ${message.text()}`);
          message.ack();
        },
      );
    }
    for (const [index, { broker }] of installations.entries()) {
      await broker.publish('evt._.user.updated', `event of ${index}`, `id ${index}`);
      broker.signal('bailiwick.revoke', `signal of ${index}`, 'bailiwick.ack.x');
    }
    await eventually('all messages', () =>
      Promise.resolve(received.every(({ length }) => length >= 3)),
    );
    for (const [index, mine] of received.entries())
      assert.deepEqual(mine.toSorted(), [
        `evt._.user.updated event of ${index}`,
        `heard by ${index}`,
        `signal of ${index}`,
      ]);
    const names = [];
    for await (const { config } of manager.streams.list()) names.push(config.name);
    assert.deepEqual(names.sort(), ['EVT', 'TASK', 'two-EVT', 'two-TASK']);
    await deleteStreams(server.url, ['two-EVT', 'two-TASK']);
  }));

test('an upgraded installation adopts the streams that hold its outbox rows, with all messages', () =>
  withBrokers(async () => {
    await formerStreams();
    await publishFormer('task.email.notice', 'tsk_1');
    await publishFormer('evt._.user.updated', 'evt_1');
    const foreign = open(upgraded('two', [{ id: 'evt_9', seq: '1' }]));
    await connected(foreign.broker);
    await assert.rejects(foreign.broker.states(), /TASK was not made by this installation/);
    const own = open(upgraded('one', [{ id: 'evt_1', seq: '1' }]));
    await connected(own.broker);
    await own.broker.publish('evt._.user.updated', 'evt_2', 'evt_2');
    assert.deepEqual(await ownersOfStreams(), ['one', 'one']);
    assert.equal((await manager.streams.info('EVT')).state.messages, 2);
    assert.equal((await manager.streams.info('TASK')).state.messages, 1);
    // The former version writes the same settings, and keeps the id.
    await manager.streams.update('EVT', { subjects: ['evt.>'], max_age: nanos(7 * 86_400_000) });
    assert.deepEqual(await ownersOfStreams(), ['one', 'one']);
  }));

test('an upgraded installation that has been idle adopts its streams, and a new one adopts only empty streams', () =>
  withBrokers(async () => {
    await formerStreams();
    const fresh = open(upgraded('fresh', [], false));
    await connected(fresh.broker);
    await fresh.broker.states();
    assert.deepEqual(await ownersOfStreams(), ['fresh', 'fresh']);

    await deleteStreams(server.url);
    await formerStreams();
    await publishFormer('task.email.notice', 'tsk_1');
    const late = open(upgraded('late', [], false));
    await connected(late.broker);
    await assert.rejects(late.broker.states(), /TASK was not made by this installation/);
    const idle = open(upgraded('idle', []));
    await connected(idle.broker);
    await idle.broker.states();
    assert.deepEqual(await ownersOfStreams(), ['idle', 'idle']);
  }));

test('a setting that loses messages is repaired, and a process refuses one that cannot be', () =>
  withBrokers(async () => {
    const one = open(owner('one'));
    await connected(one.broker);
    await one.broker.states();
    const event = { max_msgs: 5, max_bytes: 4096, max_age: nanos(60_000), max_msgs_per_subject: 1 };
    await manager.streams.update('EVT', { ...event, duplicate_window: nanos(1000) });
    await manager.streams.update('TASK', { max_bytes: 1 << 20, discard: DiscardPolicy.Old });
    const next = open(owner('one'));
    await connected(next.broker);
    await next.broker.publish('evt._.user.updated', 'body', 'a');
    const [events, tasks] = await Promise.all(
      ['EVT', 'TASK'].map(async (name) => (await manager.streams.info(name)).config),
    );
    assert.deepEqual(
      [events?.max_msgs, events?.max_bytes, events?.max_age, events?.max_msgs_per_subject],
      [-1, -1, nanos(7 * 86_400_000), -1],
    );
    assert.equal(events?.duplicate_window, nanos(600_000));
    // A full stream of tasks refuses new ones, which loses none.
    assert.deepEqual([tasks?.discard, tasks?.max_bytes], [DiscardPolicy.New, 1 << 20]);
    assert.deepEqual(next.refusals, []);

    await deleteStreams(server.url, ['EVT']);
    const settings = { storage: StorageType.Memory, metadata: { [key]: 'one' } };
    await manager.streams.add({ name: 'EVT', subjects: ['evt.>'], ...settings });
    const refused = open(owner('one'));
    await connected(refused.broker);
    await assert.rejects(refused.broker.publish('evt._.user.updated', 'body', 'b'));
    assert.match(
      refused.refusals[0] ?? '',
      /the stream EVT has .*memory storage.*delete the stream/,
    );
  }));

test('a consumer that would lose messages or belongs to another installation is refused', () =>
  withBrokers(async () => {
    const one = open(owner('one'));
    await connected(one.broker);
    await one.broker.states();
    await manager.consumers.add('EVT', { durable_name: 'none', ack_policy: AckPolicy.None });
    await manager.consumers.add('EVT', {
      durable_name: 'other',
      ack_policy: AckPolicy.Explicit,
      metadata: { [key]: 'two' },
    });
    for (const [durable, line] of [
      ['none', /the consumer none of the stream EVT acknowledges by itself/],
      ['other', /the consumer other of the stream EVT belongs to the installation two/],
    ] as const) {
      const { broker, refusals } = open(owner('one'));
      const settings = { stream: 'EVT', durable, subject: 'evt.>' } as const;
      broker.consume({ ...settings, concurrency: 1, ackWaitMs: 10_000 }, async () => {});
      await eventually('the refusal', () => Promise.resolve(refusals.length > 0));
      assert.match(refusals[0] ?? '', line);
    }
  }));
