import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBreaker } from './breaker.ts';
import { createLatencyTracker } from './latency-tracker.ts';

type Result = 'delivered' | 'failed' | 'timeout';

/** The number of the attempt that opens the breaker, or undefined if it stays closed. */
function opensAfter(results: readonly Result[], everyMs = 1000): number | undefined {
  let now = 0;
  const breaker = createBreaker(() => now);
  for (const [index, result] of results.entries()) {
    if (breaker.count('whk_1', result)) return index + 1;
    now += everyMs;
  }
  return undefined;
}
const times = (count: number, result: Result): Result[] =>
  Array.from({ length: count }, () => result);

test('the breaker opens after ten failures of ten attempts, and not after nine', () => {
  assert.equal(opensAfter(times(12, 'failed')), 10);
  assert.equal(opensAfter(times(9, 'failed')), undefined);
});

test('the breaker stays closed while more than a fifth of the attempts succeed', () => {
  assert.equal(
    opensAfter([...times(3, 'failed'), ...times(2, 'delivered'), ...times(5, 'failed')]),
    10,
  );
  assert.equal(
    opensAfter(times(10, 'failed').flatMap((result) => [result, 'delivered'] as const)),
    undefined,
  );
});

test('the breaker does not add up failures that are more than two minutes apart', () => {
  assert.equal(opensAfter(times(30, 'failed'), 30_000), undefined);
});

test('the breaker opens after five timeouts in a row, however far apart', () => {
  assert.equal(opensAfter(times(5, 'timeout'), 200_000), 5);
  assert.equal(
    opensAfter([...times(4, 'timeout'), 'delivered', ...times(4, 'timeout')]),
    undefined,
  );
});

test('an endpoint with a slow average becomes fast again after twenty fast successes in a row', () => {
  const latency = createLatencyTracker();
  latency.record('whk_1', 100, true);
  assert.equal(latency.isSlow('whk_1'), false);
  latency.record('whk_1', 15_000, false);
  assert.equal(latency.isSlow('whk_1'), true);
  for (let i = 0; i < 19; i++) latency.record('whk_1', 20, true);
  assert.equal(latency.isSlow('whk_1'), true);
  latency.record('whk_1', 20, true);
  assert.equal(latency.isSlow('whk_1'), false);
});

test('one slow response among fast ones does not make an endpoint slow', () => {
  const latency = createLatencyTracker();
  latency.record('whk_1', 1500, true);
  latency.record('whk_1', 3000, true);
  assert.equal(latency.isSlow('whk_1'), false);
});
