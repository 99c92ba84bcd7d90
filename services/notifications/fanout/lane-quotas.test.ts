import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLaneQuotas } from './lane-quotas.ts';

test('tasks of a tenant beyond its quota use the slow lane, and those of other tenants do not', () => {
  let now = 8000;
  const quotas = createLaneQuotas(() => now);
  const lanes = Array.from({ length: 2100 }, () => quotas.laneOf('tnt_busy'));
  assert.equal(lanes.filter((lane) => lane === 'slow').length, 100);
  assert.ok(lanes.slice(0, 2000).every((lane) => lane === ''));
  assert.equal(quotas.laneOf('tnt_calm'), '');
  now += 8000;
  assert.equal(quotas.laneOf('tnt_busy'), '');
});
