import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JetStreamManager } from 'nats';
import { createHorizon } from './horizon.ts';

test('only messages that were stored under the present connection are new', async () => {
  let connections = 1;
  let questions = 0;
  let last_seq = 7;
  const horizon = createHorizon(() => connections);
  const info = async () => {
    questions++;
    return { state: { last_seq } };
  };
  const manager = async () => ({ streams: { info } }) as unknown as JetStreamManager;
  const note = () => horizon.note(manager, 'TASK');
  const isNew = (seq: number) => horizon.passedAt(seq) !== undefined;

  assert.equal(isNew(8), false);
  await note();
  await note();
  assert.deepEqual([questions, isNew(7), isNew(8)], [1, false, true]);

  // The broker has ended, and may repeat its deliveries.
  connections = 2;
  assert.equal(isNew(9), false);
  last_seq = 9;
  await note();
  assert.deepEqual([questions, isNew(9), isNew(10)], [2, false, true]);

  // The connection is lost while the broker answers.
  connections = 3;
  const answer = note();
  connections = 4;
  await answer;
  assert.equal(isNew(100), false);
});
