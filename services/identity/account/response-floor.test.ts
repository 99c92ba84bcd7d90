import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createResponseFloor } from './response-floor.ts';

/** Starts the work itself, since a clock that begins after it misses a part. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work().catch(() => {});
  return performance.now() - began;
}

/** Waits for at least this time: a timer counts from the last turn of the event loop. */
async function pass(ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) await sleep(Math.ceil(end - performance.now()));
}

test('a response takes at least the floor, even if the work fails', async () => {
  const floor = createResponseFloor({ leastMs: 50, mostMs: 1000 });
  assert.ok((await timed(() => floor(() => Promise.resolve(false)))) >= 50);
  assert.ok((await timed(() => floor(() => Promise.reject(new Error('failed'))))) >= 50);
  await assert.rejects(
    floor(() => Promise.reject(new Error('failed'))),
    /failed/,
  );
});

test('the floor follows the slower branch, up to its limit, and applies to the faster one', async () => {
  const floor = createResponseFloor({ leastMs: 10, mostMs: 200 });
  await Promise.all(Array.from({ length: 20 }, () => floor(() => pass(80).then(() => true))));
  const quick = await timed(() => floor(() => Promise.resolve(false)));
  assert.ok(quick >= 110, `${quick} ms`);
  await Promise.all(Array.from({ length: 20 }, () => floor(() => pass(400).then(() => true))));
  const limited = await timed(() => floor(() => Promise.resolve(false)));
  assert.ok(limited >= 198 && limited < 400, `${limited} ms`);
});

test('work that takes longer than the floor is answered at the next multiple of it', async () => {
  const floor = createResponseFloor({ leastMs: 100, mostMs: 100 });
  const took = await timed(() => floor(() => pass(120).then(() => true)));
  assert.ok(took >= 198, `${took} ms`);
});
