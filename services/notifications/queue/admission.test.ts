import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gates } from '../endpoints/gates.ts';
import { createPace } from '../endpoints/pace.ts';
import type { Gate } from '../endpoints/queries.ts';
import { createAdmission } from './admission.ts';
import type { Attempt } from './attempt.ts';
import { createSlotPool } from './slots.ts';

const open: Gate = { rateLimit: 0, pausedUntil: null, pauseMs: 0, isFailing: false };
const attempt = { tenant: 'tnt_1', endpoint: 'whk_1' } as Attempt;

/** What becomes of attempts at an endpoint whose gate is read as these, one after the other; the last one stays. */
function admission(gates: Gate[], { isSlowLane = false, use = () => Promise.resolve(0) } = {}) {
  const read = {
    of: () => Promise.resolve(gates.length > 1 ? (gates.shift() as Gate) : (gates[0] as Gate)),
    forget: () => {},
  } as Gates;
  const limiter = { use, take: () => Promise.resolve(), sweep: () => Promise.resolve() };
  const slots = createSlotPool()({ total: 8, room: 1 });
  return createAdmission(
    { gates: read, limiter, pace: createPace(), probing: new Set() },
    slots,
    isSlowLane,
  );
}
const inAnHour = () => new Date(Date.now() + 3_600_000);

test('what is admitted while the limiter fails takes no slot with it', async () => {
  let isAway = true;
  const use = () =>
    isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(0);
  const admit = admission([{ ...open, rateLimit: 5 }], { use });
  for (let tries = 0; tries < 10; tries++) await assert.rejects(admit(attempt));
  isAway = false;
  assert.equal((await admit(attempt)).go, 'run');
});

test('a pause that begins while a slot is waited for keeps the attempt back', async () => {
  const admit = admission(
    [open, open, open, open, open, open, open, open, open, { ...open, pausedUntil: inAnHour() }],
    { isSlowLane: true },
  );
  const running = await Promise.all([1, 2, 3, 4].map(() => admit(attempt)));
  assert.deepEqual(
    running.map(({ go }) => go),
    ['run', 'run', 'run', 'run'],
  );
  const waiting = admit(attempt);
  await new Promise((resolve) => setImmediate(resolve));
  for (const one of running) if (one.go === 'run') one.free();
  assert.equal((await waiting).go, 'park');
});

test('an endpoint that has to prove itself gets one attempt at a time', async () => {
  const admit = admission([{ ...open, pauseMs: 30_000, pausedUntil: new Date(0) }]);
  const [first, second] = [await admit(attempt), await admit(attempt)];
  assert.deepEqual([first.go, second.go], ['run', 'park']);
  if (first.go === 'run') first.free();
  assert.equal((await admit(attempt)).go, 'run');
});
