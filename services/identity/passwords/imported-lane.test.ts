import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createImportedLane, type Waiter } from './imported-lane.ts';

const now = () => Promise.resolve();
const from = (client: string, more: Partial<Waiter> = {}): Waiter => ({
  client,
  until: performance.now() + 60_000,
  ...more,
});
const full = { code: 'resource_exhausted', retryAfter: 5 };

/** Comparisons of this client that wait until one more is refused. */
async function countWaiting(slots: number, takesMs: number, client = ''): Promise<number> {
  const lane = createImportedLane(slots);
  const slow = () => sleep(takesMs).then(() => false);
  await Promise.all(Array.from({ length: slots }, () => lane.compare(now, slow, from(client))));
  const gate = Promise.withResolvers<boolean>();
  const all: Array<Promise<unknown>> = [];
  for (let isFull = false; !isFull; ) {
    const next = lane.compare(now, () => gate.promise, from(client));
    isFull = await Promise.race([
      next.then(
        () => false,
        () => true,
      ),
      sleep(1).then(() => false),
    ]);
    if (!isFull) all.push(next);
  }
  gate.resolve(false);
  await Promise.all(all);
  return all.length - slots;
}

test('the lane of imported hashes is full when its expected wait is five seconds', async () => {
  const waiting = await countWaiting(1, 400);
  assert.ok(waiting >= 10 && waiting <= 13, String(waiting));
  assert.ok((await countWaiting(2, 400)) >= 20);
  assert.equal(await countWaiting(1, 1), 40);
});

test('one client fills half of the lane of imported hashes at most', async () => {
  const waiting = await countWaiting(1, 400, '192.0.2.1');
  assert.ok(waiting >= 4 && waiting <= 7, String(waiting));
  assert.equal(await countWaiting(1, 1, '192.0.2.1'), 20);
});

test('addresses without an account fill the lane, and wait in it, as accounts do', async () => {
  const lane = createImportedLane(1);
  const began = performance.now();
  await lane.compare(now, () => sleep(30).then(() => false), from(''));
  const takes = performance.now() - began;
  await Promise.all([lane.imitate(now, from('')), lane.imitate(now, from(''))]);
  assert.ok(performance.now() - began >= 2.8 * Math.min(takes, 30));
  const many = Array.from({ length: 60 }, () => lane.imitate(now, from('')));
  const outcomes = Promise.allSettled(many);
  await assert.rejects(
    lane.compare(now, async () => true, from('')),
    full,
  );
  const refused = (await outcomes).filter(({ status }) => status === 'rejected').length;
  assert.ok(refused >= 19, String(refused));
  assert.equal((await lane.compare(now, async () => true, from(''))).holds, true);
});

test('a comparison that has waited until its time is refused, and leaves the lane', async () => {
  const lane = createImportedLane(1);
  const gate = Promise.withResolvers<boolean>();
  const running = lane.compare(now, () => gate.promise, from(''));
  await now();
  const until = performance.now() + 10;
  await Promise.all([
    assert.rejects(
      lane.compare(now, async () => true, from('', { until })),
      full,
    ),
    assert.rejects(lane.imitate(now, from('', { until })), full),
  ]);
  assert.equal(lane.load(), 0);
  gate.resolve(true);
  assert.equal((await running).holds, true);
});

test('a guess whose client leaves counts as a wrong password, and leaves the lane', async () => {
  const lane = createImportedLane(1);
  const gate = Promise.withResolvers<boolean>();
  const running = lane.compare(now, () => gate.promise, from(''));
  await now();
  const aborter = new AbortController();
  const { signal } = aborter;
  const imitated = Array.from({ length: 5 }, () => lane.imitate(now, from('', { signal })));
  const compared = lane.compare(now, async () => true, from('', { signal }));
  await now();
  assert.equal(lane.load(), 6);
  aborter.abort();
  await Promise.all(imitated);
  // The throttle counts it: a client does not choose which of its guesses count.
  assert.equal((await compared).holds, false);
  assert.equal(lane.load(), 0);
  gate.resolve(true);
  assert.equal((await running).holds, true);
});
