import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBreaker } from './breaker.ts';
import { createPace } from './pace.ts';

type Result = 'delivered' | 'failed' | 'timeout';

/** After which of these attempts an endpoint is left alone. */
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

test('an endpoint is left alone when ten of ten failed, and not after nine', () => {
  assert.equal(opensAfter(times(12, 'failed')), 10);
  assert.equal(opensAfter(times(9, 'failed')), undefined);
});

test('one success of five is a fifth that is enough to be gone on with', () => {
  assert.equal(
    opensAfter([...times(3, 'failed'), ...times(2, 'delivered'), ...times(5, 'failed')]),
    10,
  );
  assert.equal(
    opensAfter(times(10, 'failed').flatMap((result) => [result, 'delivered'] as const)),
    undefined,
  );
});

test('failures further apart than two minutes are not counted together', () => {
  assert.equal(opensAfter(times(30, 'failed'), 30_000), undefined);
});

test('five timeouts in a row are enough, however far apart', () => {
  assert.equal(opensAfter(times(5, 'timeout'), 200_000), 5);
  assert.equal(
    opensAfter([...times(4, 'timeout'), 'delivered', ...times(4, 'timeout')]),
    undefined,
  );
});

test('an endpoint is slow while its average is, and quick again after twenty quick successes', () => {
  const pace = createPace();
  pace.note('whk_1', 100, true);
  assert.equal(pace.isSlow('whk_1'), false);
  pace.note('whk_1', 15_000, false);
  assert.equal(pace.isSlow('whk_1'), true);
  for (let i = 0; i < 19; i++) pace.note('whk_1', 20, true);
  assert.equal(pace.isSlow('whk_1'), true);
  pace.note('whk_1', 20, true);
  assert.equal(pace.isSlow('whk_1'), false);
});

test('one slow answer among quick ones does not make an endpoint slow', () => {
  const pace = createPace();
  pace.note('whk_1', 1500, true);
  pace.note('whk_1', 3000, true);
  assert.equal(pace.isSlow('whk_1'), false);
});
