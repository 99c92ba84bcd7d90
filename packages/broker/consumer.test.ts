import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '@bailiwick/process';
import type { JetStreamClient, JetStreamManager } from 'nats';
import { consumeForever, ensureConsumer } from './consumer.ts';
import { createNames } from './names.ts';
import { createWriter } from './publications.ts';

// test/delivery/narrowed.test.ts runs consumers on a broker.

const place = (manager: JetStreamManager) => ({
  manager,
  isCluster: false,
  names: createNames(''),
  owner: { id: 'one', recognises: () => Promise.resolve(false) },
});

/** The settings that a broker with these consumers gets for a narrowed one. */
async function settingsFor(stored: readonly string[]) {
  let settings: Record<string, unknown> = {};
  const consumers = {
    info: (_stream: string, name: string) =>
      Promise.resolve(
        stored.includes(name)
          ? { ack_floor: { stream_seq: 41 }, config: { ack_policy: 'explicit' } }
          : undefined,
      ),
    add: (_stream: string, options: Record<string, unknown>) =>
      Promise.resolve((settings = options)),
    update: (_stream: string, _durable: string, options: Record<string, unknown>) =>
      Promise.resolve((settings = options)),
  };
  await ensureConsumer(place({ consumers } as unknown as JetStreamManager), {
    stream: 'EVT',
    durable: 'new',
    subject: 'evt.*.user.>',
    narrowed: { subjects: ['evt.*.user.disabled', 'evt.*.user.deleted'], replaces: 'old' },
    concurrency: 1,
    ackWaitMs: 1000,
  });
  const { filter_subject: one, filter_subjects: several, opt_start_seq: start } = settings;
  return { one, several, start };
}

test('a narrowed consumer starts where the one that it replaces stands', async () => {
  const several = ['evt.*.user.disabled', 'evt.*.user.deleted'];
  assert.deepEqual(await settingsFor(['old']), { one: undefined, several, start: 42 });
  assert.deepEqual(await settingsFor([]), { one: undefined, several, start: undefined });
});

test('an existing narrowed consumer keeps its position', async () => {
  const several = ['evt.*.user.disabled', 'evt.*.user.deleted'];
  assert.deepEqual(await settingsFor(['old', 'new']), {
    one: undefined,
    several,
    start: undefined,
  });
});

/** Some messages, after which the consumer is deleted or there are no more for now. */
function fetched(seqs: readonly number[], isDeleted: boolean) {
  const messages = seqs.map((streamSequence) => ({
    subject: 'task.a',
    data: new Uint8Array(),
    info: { deliveryCount: 1, streamSequence },
    ack: () => {},
    nak: () => {},
  }));
  return {
    status: async () => (isDeleted ? [{ type: 'consumer_deleted' }] : []),
    stop: () => {},
    [Symbol.asyncIterator]: async function* () {
      yield* messages;
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

test('messages that were stored before a consumer was made again are not new', async () => {
  let last_seq = 7;
  const manager = {
    consumers: { info: async () => undefined, add: async () => ({}) },
    streams: { info: async () => ({ state: { last_seq } }) },
  } as unknown as JetStreamManager;
  const pulls = [fetched([8], true), fetched([8, 9, 10], false)];
  const fetch = async () => {
    const pull = pulls.shift() ?? fetched([], false);
    // The end of the stream when the consumer is made again.
    last_seq = 9;
    return pull;
  };
  const client = { consumers: { get: async () => ({ fetch }) } } as unknown as JetStreamClient;
  const news: boolean[] = [];
  const isRead = Promise.withResolvers<void>();
  const stop = consumeForever(
    {
      ensure: async () => place(manager),
      report: () => {},
      names: createNames(''),
      client: () => client,
      connections: () => 1,
      manager: async () => manager,
      writer: createWriter(),
      log: createLog('test', () => {}),
      isClosed: () => false,
    },
    { stream: 'TASK', durable: 'a', subject: 'task.>', concurrency: 10, ackWaitMs: 1000 },
    async ({ newSince }) => {
      if (news.push(newSince !== undefined) === 4) isRead.resolve();
    },
  );
  await isRead.promise;
  await stop();
  assert.deepEqual(news, [true, false, false, true]);
});
