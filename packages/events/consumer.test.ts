import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JetStreamManager } from 'nats';
import { ensureConsumer } from './consumer.ts';

// test/delivery/narrowed.test.ts runs consumers on a broker.

/** The settings that a broker with these consumers gets for a narrowed one. */
async function settingsFor(stored: readonly string[], takesSeveral: boolean) {
  let settings: Record<string, unknown> = {};
  const consumers = {
    info: (_stream: string, name: string) =>
      Promise.resolve(stored.includes(name) ? { ack_floor: { stream_seq: 41 } } : undefined),
    add: (_stream: string, given: Record<string, unknown>) => Promise.resolve((settings = given)),
    update: (_stream: string, _durable: string, given: Record<string, unknown>) =>
      Promise.resolve((settings = given)),
  };
  await ensureConsumer(
    { consumers } as unknown as JetStreamManager,
    {
      stream: 'EVT',
      durable: 'new',
      subject: 'evt.*.user.>',
      narrowed: { subjects: ['evt.*.user.disabled', 'evt.*.user.deleted'], replaces: 'old' },
      concurrency: 1,
      ackWaitMs: 1000,
    },
    takesSeveral,
  );
  const { filter_subject: one, filter_subjects: several, opt_start_seq: start } = settings;
  return { one, several, start };
}

test('a narrowed consumer starts where the one that it replaces stands', async () => {
  const several = ['evt.*.user.disabled', 'evt.*.user.deleted'];
  assert.deepEqual(await settingsFor(['old'], true), { one: undefined, several, start: 42 });
  assert.deepEqual(await settingsFor([], true), { one: undefined, several, start: undefined });
});

test('an existing narrowed consumer keeps its position, also when a newer server takes its subjects', async () => {
  const several = ['evt.*.user.disabled', 'evt.*.user.deleted'];
  assert.deepEqual(await settingsFor(['old', 'new'], true), {
    one: undefined,
    several,
    start: undefined,
  });
});

test('a server that takes one subject keeps the wider one', async () => {
  for (const stored of [['old'], ['old', 'new']]) {
    const { one, several } = await settingsFor(stored, false);
    assert.deepEqual([one, several], ['evt.*.user.>', undefined]);
  }
});
