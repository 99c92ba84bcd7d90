import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlanInput, planNext, recordedStatus } from './plan.ts';

const now = new Date('2026-01-01T00:00:00Z');
const plan = (over: Partial<PlanInput>) =>
  planNext({
    status: 'retry',
    attempt: 1,
    schedule: [0, 5000, 60_000],
    expiresAt: undefined,
    now,
    random: 0,
    ...over,
  });

test('a delivered or dropped task is done', () => {
  assert.deepEqual(plan({ status: 'delivered' }), { state: 'done' });
  assert.deepEqual(plan({ status: 'dropped' }), { state: 'done' });
});

test('a failed task becomes a dead letter at once', () => {
  assert.deepEqual(plan({ status: 'failed' }), { state: 'dead' });
});

test('a task to retry waits, and becomes a dead letter after its last attempt', () => {
  assert.deepEqual(plan({}), { state: 'waiting', dueAt: new Date('2026-01-01T00:00:05Z') });
  assert.deepEqual(plan({ attempt: 2 }), {
    state: 'waiting',
    dueAt: new Date('2026-01-01T00:01:00Z'),
  });
  assert.deepEqual(plan({ attempt: 3 }), { state: 'dead' });
});

test('a task is not attempted after its token has expired', () => {
  assert.deepEqual(plan({ expiresAt: new Date('2026-01-01T00:00:05Z') }), { state: 'dead' });
  assert.equal(plan({ expiresAt: new Date('2026-01-01T00:00:06Z') }).state, 'waiting');
});

test('the last attempt of a dead-lettered task is recorded as failed, every other attempt as it ended', () => {
  const recorded = (over: Partial<PlanInput>) => recordedStatus(over.status ?? 'retry', plan(over));
  assert.equal(recorded({ attempt: 2 }), 'retry');
  assert.equal(recorded({ attempt: 3 }), 'failed');
  assert.equal(recorded({ expiresAt: new Date('2026-01-01T00:00:05Z') }), 'failed');
  assert.equal(recorded({ status: 'failed' }), 'failed');
  assert.equal(recorded({ status: 'delivered' }), 'delivered');
  assert.equal(recorded({ status: 'dropped' }), 'dropped');
});
