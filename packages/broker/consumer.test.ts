import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JetStreamManager } from 'nats';
import { ensureConsumer } from './consumer.ts';
import { createNames } from './names.ts';

// test/delivery/narrowed.test.ts runs consumers on a broker.

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
  await ensureConsumer(
    {
      manager: { consumers } as unknown as JetStreamManager,
      isCluster: false,
      names: createNames(''),
      owner: { id: 'one', recognises: () => Promise.resolve(false) },
    },
    {
      stream: 'EVT',
      durable: 'new',
      subject: 'evt.*.user.>',
      narrowed: { subjects: ['evt.*.user.disabled', 'evt.*.user.deleted'], replaces: 'old' },
      concurrency: 1,
      ackWaitMs: 1000,
    },
  );
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
