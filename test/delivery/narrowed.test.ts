import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type Broker, openBroker } from '@bailiwick/broker';
import { createLog } from '@bailiwick/process';
import { connect, type NatsConnection, nanos } from 'nats';
import { startTestBroker, type TestBroker, testOwner } from '../support/broker.ts';
import { eventually } from '../support/harness.ts';

// A version that takes some events only, beside the previous version that takes all of a family.

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-narrowed-'));
const wide = 'evt.*.user.>';
const subjects = ['evt.*.user.disabled', 'evt.*.user.enabled', 'evt.*.user.deleted'];

let server: TestBroker;
let broker: Broker;
let direct: NatsConnection;
const opened: Broker[] = [];
before(async () => {
  server = await startTestBroker(folder);
  broker = open();
  direct = await connect({ servers: server.url });
  await eventually('the streams', () => broker.states().then(Boolean, () => false));
});
after(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await direct?.close();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Broker {
  const one = openBroker({ url: server.url, name: 'test', log: createLog('test', () => {}) });
  one.claim(testOwner);
  opened.push(one);
  return one;
}

let count = 0;
const publish = (type: string) => broker.publish(`evt._.user.${type}`, '{}', `${type}.${++count}`);

/** Consumes like a process of one version. `unfinished`: the messages that it does not finish. */
function consume(options: { durable: string; narrowed?: boolean; unfinished?: string }) {
  const { durable, narrowed = false, unfinished = '' } = options;
  const process = open();
  const messageIds: string[] = [];
  process.consume(
    {
      stream: 'EVT',
      durable,
      subject: wide,
      narrowed: narrowed ? { subjects, replaces: 'old' } : undefined,
      concurrency: 8,
      ackWaitMs: 60_000,
    },
    async (message) => {
      if (message.id === unfinished) return message.retry(3_600_000);
      messageIds.push(message.id);
      message.ack();
    },
  );
  const sees = (ids: readonly string[]) =>
    eventually(`${durable} with ${ids.join()}`, () =>
      Promise.resolve(ids.every((id) => messageIds.includes(id))),
    );
  return { messageIds, sees };
}

test('a narrowed consumer takes over what its predecessor has not finished, and both versions get what follows', async () => {
  for (const type of ['signed_in', 'disabled', 'enabled', 'signed_in', 'deleted'])
    await publish(type);
  const old = consume({ durable: 'old', unfinished: 'enabled.3' });
  await old.sees(['signed_in.1', 'disabled.2', 'signed_in.4', 'deleted.5']);
  const { consumers } = await direct.jetstreamManager();
  await eventually('the acknowledgements', async () => {
    const { ack_floor, num_ack_pending } = await consumers.info('EVT', 'old');
    return ack_floor.stream_seq === 2 && num_ack_pending === 1;
  });

  const next = consume({ durable: 'new', narrowed: true });
  await next.sees(['enabled.3', 'deleted.5']);
  for (const type of ['signed_in', 'disabled']) await publish(type);
  await next.sees(['disabled.7']);
  await old.sees(['signed_in.6', 'disabled.7']);
  assert.deepEqual(next.messageIds.toSorted(), ['deleted.5', 'disabled.7', 'enabled.3']);

  // Another process of the previous version starts, as in a rollback: it works as before.
  const back = consume({ durable: 'old' });
  for (let index = 0; index < 20; index++) await publish('enabled');
  const last = Array.from({ length: 20 }, (_, index) => `enabled.${index + 8}`);
  await eventually('the previous version', () =>
    Promise.resolve(
      last.every((id) => old.messageIds.includes(id) || back.messageIds.includes(id)),
    ),
  );
  await next.sees(last);
});

test('the previous version cannot update a consumer with several subjects, so the narrowed one has a name of its own', async () => {
  const manager = await direct.jetstreamManager();
  assert.deepEqual((await manager.consumers.info('EVT', 'new')).config.filter_subjects, subjects);
  await assert.rejects(
    manager.consumers.update('EVT', 'new', { ack_wait: nanos(10_000), filter_subject: wide }),
    /filter/i,
  );
});
