import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createImportedLane } from './imported-lane.ts';

const full = 400;
const now = () => Promise.resolve();

/** Comparisons that wait until the load is full. */
async function admitted(slots: number, takesMs: number): Promise<number> {
  const lane = createImportedLane(slots, full);
  const slow = () => sleep(takesMs).then(() => false);
  await Promise.all(Array.from({ length: slots }, () => lane.compare(now, slow)));
  const gate = Promise.withResolvers<boolean>();
  const all: Array<Promise<unknown>> = [];
  while (lane.load() < full) all.push(lane.compare(now, () => gate.promise));
  gate.resolve(false);
  await Promise.all(all);
  return all.length - slots;
}

test('the lane of imported hashes is full when its expected wait is five seconds', async () => {
  const waiting = await admitted(1, 400);
  assert.ok(waiting >= 10 && waiting <= 13, String(waiting));
  assert.ok((await admitted(2, 400)) >= 20);
  assert.equal(await admitted(1, 1), 40);
});

test('wrong passwords that wait in the lane of imported hashes count, and leave it when aborted', async () => {
  const lane = createImportedLane(1, full);
  const gate = Promise.withResolvers<boolean>();
  const running = lane.compare(now, () => gate.promise);
  await now();
  const aborter = new AbortController();
  const misses = Array.from({ length: 5 }, () => lane.pass(aborter.signal));
  const compared = lane.compare(now, () => Promise.resolve(true), aborter.signal);
  await now();
  assert.ok(lane.load() > 5);
  aborter.abort();
  await Promise.all(misses);
  // The throttle counts it: a client does not choose which of its guesses count.
  assert.equal((await compared).holds, false);
  assert.equal(lane.load(), 0);
  gate.resolve(true);
  assert.equal((await running).holds, true);
});
