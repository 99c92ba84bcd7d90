import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLane } from './lane.ts';

test('a lane runs work in order, at most its slots at a time, and knows what waits', async () => {
  const lane = createLane(2);
  const began: number[] = [];
  let [running, most] = [0, 0];
  const work = (index: number) => async () => {
    began.push(index);
    most = Math.max(most, ++running);
    await sleep(1);
    running--;
    if (index === 3) throw new Error('failed');
  };
  const all = [0, 1, 2, 3, 4, 5].map((index) => lane.run(work(index), index));
  assert.equal(lane.load(), 2 + 3 + 4 + 5);
  const results = await Promise.allSettled(all);
  assert.deepEqual(began, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([most, lane.load()], [2, 0]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
  await lane.run(work(6));
});
