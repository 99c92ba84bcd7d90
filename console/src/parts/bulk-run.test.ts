import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAll } from './bulk-run.ts';

const numbers = Array.from({ length: 20 }, (_, index) => index);
const options = { isFinal: () => false };

test('runAll makes each call once, a limited number at a time, and goes on after failures', async () => {
  let running = 0;
  let most = 0;
  const calls: number[] = [];
  const progress: number[] = [];
  const { successes, failures, skipped } = await runAll(numbers, {
    ...options,
    async call(number) {
      calls.push(number);
      running++;
      most = Math.max(most, running);
      await Promise.resolve();
      running--;
      if (number % 5 === 0) throw new Error(`no ${number}`);
    },
    onProgress: (count) => void progress.push(count),
  });
  assert.equal(most, 4);
  assert.deepEqual(calls, numbers);
  assert.deepEqual(
    failures.map(({ item, error }) => [item, (error as Error).message]),
    [0, 5, 10, 15].map((number) => [number, `no ${number}`]),
  );
  assert.equal(successes.length, 16);
  assert.deepEqual(skipped, []);
  assert.deepEqual(
    progress,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test('runAll begins no call after it is stopped, nor after an error that ends the run', async () => {
  let latest = 0;
  const stopped = await runAll(numbers, {
    ...options,
    atOnce: 1,
    call: () => Promise.resolve(),
    onProgress: (count) => void (latest = count),
    isStopped: () => latest === 3,
  });
  assert.deepEqual(stopped.successes, [0, 1, 2]);
  assert.deepEqual(stopped.skipped, numbers.slice(3));
  const ended = await runAll(numbers, {
    ...options,
    atOnce: 1,
    call: (number) => (number === 2 ? Promise.reject(new Error('proof')) : Promise.resolve()),
    isFinal: () => true,
  });
  assert.deepEqual(ended.successes, [0, 1]);
  assert.deepEqual(
    ended.failures.map(({ item }) => item),
    [2],
  );
  assert.deepEqual(ended.skipped, numbers.slice(3));
});
