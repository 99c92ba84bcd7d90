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
  const all = [0, 1, 2, 3, 4, 5].map((index) => lane.run(work(index)));
  assert.equal(lane.load(), 4);
  const results = await Promise.allSettled(all);
  assert.deepEqual(began, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([most, lane.load()], [2, 0]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
  await lane.run(work(6));
});

test('work whose signal aborts leaves the lane, and the others keep their order', async () => {
  const lane = createLane(1);
  const began: number[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lane.run(() => gate.promise);
  const aborter = new AbortController();
  const note = (index: number) => async () => void began.push(index);
  const aborted = lane.run(note(1), { signal: aborter.signal });
  const others = [lane.run(note(2)), lane.run(note(3))];
  assert.equal(lane.load(), 3);
  aborter.abort();
  await assert.rejects(aborted, { name: 'AbortError' });
  await assert.rejects(lane.run(note(4), { signal: aborter.signal }), { name: 'AbortError' });
  assert.equal(lane.load(), 2);
  gate.resolve();
  await Promise.all([first, ...others]);
  assert.deepEqual(began, [2, 3]);
});

test('work that has not begun in time is refused, and work that has begun goes on', async () => {
  const lane = createLane(1);
  const gate = Promise.withResolvers<string>();
  const until = performance.now() + 5;
  const first = lane.run(() => gate.promise, { until });
  await assert.rejects(
    lane.run(async () => 'late', { until }),
    { code: 'resource_exhausted', retryAfter: 5 },
  );
  gate.resolve('done');
  assert.equal(await first, 'done');
  assert.equal(await lane.run(async () => 'next', { until }), 'next');
});
