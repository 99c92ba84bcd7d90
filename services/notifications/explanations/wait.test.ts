import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitOf } from './wait.ts';

const soon = '2026-01-01 00:01:00+00';
const later = '2026-01-01 00:02:00+00';

const retry = {
  state: 'waiting',
  lane: 'webhook',
  attempt: 3,
  firstAttempt: 1,
  dueAt: soon,
  pausedUntil: null,
  pauseMs: 0,
  releaseAt: null,
  rateLimit: 0,
} as const;

test('a retry waits for its time, or for the end of a pause if that is later', () => {
  assert.deepEqual(waitOf(retry), { for: 'retry', until: soon });
  const paused = { ...retry, pausedUntil: later };
  assert.deepEqual(waitOf({ ...paused, pauseMs: 30_000 }), { for: 'pause', until: later });
  assert.deepEqual(waitOf(paused), { for: 'receiver', until: later });
  assert.deepEqual(waitOf({ ...retry, dueAt: later, pausedUntil: soon }), {
    for: 'retry',
    until: later,
  });
});

test('a task whose time has come waits in the queue, without a time', () => {
  assert.deepEqual(waitOf({ ...retry, dueAt: null }), { for: 'queue' });
  assert.deepEqual(waitOf({ ...retry, state: 'queued', dueAt: null }), { for: 'queue' });
});

test('a first attempt that waits is sent again, or had an internal error', () => {
  const first = { ...retry, attempt: 3, firstAttempt: 3 };
  assert.deepEqual(waitOf({ ...first, lane: 'replay', dueAt: null }), { for: 'resend' });
  assert.deepEqual(waitOf(first), { for: 'fault', until: soon });
});

test('a parked task waits for the pause, a probe, the rate limit or its turn', () => {
  const parked = { ...retry, state: 'parked', dueAt: null, attempt: 1 } as const;
  assert.deepEqual(waitOf({ ...parked, pausedUntil: later, pauseMs: 1 }), {
    for: 'pause',
    until: later,
  });
  assert.deepEqual(waitOf({ ...parked, pauseMs: 1, rateLimit: 5 }), { for: 'probe' });
  assert.deepEqual(waitOf({ ...parked, rateLimit: 5, releaseAt: soon }), {
    for: 'rate',
    until: soon,
  });
  assert.deepEqual(waitOf(parked), { for: 'turn' });
});
