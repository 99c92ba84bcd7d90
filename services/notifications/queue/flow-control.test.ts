import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLatencyTracker } from '../health/latency-tracker.ts';
import type { EndpointState } from '../health/queries.ts';
import type { EndpointStates } from '../health/state.ts';
import type { Attempt } from './attempt.ts';
import { createFlowControl } from './flow-control.ts';
import { createSlotPool } from './slots.ts';

const open: EndpointState = { rateLimit: 0, pausedUntil: null, pauseMs: 0, isFailing: false };
const attempt = { tenant: 'tnt_1', endpoint: 'whk_1', text: '{}' } as Attempt;

/**
 * Flow control for attempts at an endpoint whose state is read as these, in order; the last one
 * stays.
 */
function flowControl(
  endpointStates: EndpointState[],
  { isSlowLane = false, use = () => Promise.resolve(0) } = {},
) {
  const read = {
    get: () =>
      Promise.resolve(
        endpointStates.length > 1
          ? (endpointStates.shift() as EndpointState)
          : (endpointStates[0] as EndpointState),
      ),
    invalidate: () => {},
  } as EndpointStates;
  const limiter = { use, take: () => Promise.resolve(), sweep: () => Promise.resolve() };
  const slots = createSlotPool().lane({ total: 8, places: 4 });
  return createFlowControl(
    { endpointStates: read, limiter, latency: createLatencyTracker(), probing: new Set() },
    slots,
    isSlowLane,
  );
}
const inAnHour = () => new Date(Date.now() + 3_600_000);

test('an attempt for which the rate limiter fails gives its slot back', async () => {
  let isAway = true;
  const use = () =>
    isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(0);
  const decide = flowControl([{ ...open, rateLimit: 5 }], { use });
  for (let tries = 0; tries < 10; tries++) await assert.rejects(decide(attempt));
  isAway = false;
  assert.equal((await decide(attempt)).go, 'run');
});

test('a pause that begins while an attempt waits for a slot parks the attempt', async () => {
  const decide = flowControl(
    [open, open, open, open, open, open, open, open, open, { ...open, pausedUntil: inAnHour() }],
    { isSlowLane: true },
  );
  const running = await Promise.all([1, 2, 3, 4].map(() => decide(attempt)));
  assert.deepEqual(
    running.map(({ go }) => go),
    ['run', 'run', 'run', 'run'],
  );
  const waiting = decide(attempt);
  await new Promise((resolve) => setImmediate(resolve));
  for (const one of running) if (one.go === 'run') one.free();
  assert.equal((await waiting).go, 'park');
});

test('an endpoint with a half-open breaker gets one attempt at a time', async () => {
  const decide = flowControl([{ ...open, pauseMs: 30_000, pausedUntil: new Date(0) }]);
  const [first, second] = [await decide(attempt), await decide(attempt)];
  assert.deepEqual([first.go, second.go], ['run', 'park']);
  if (first.go === 'run') first.free();
  assert.equal((await decide(attempt)).go, 'run');
});
