import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

test('a tenant that publishes faster than its pace uses the slow lane, and no other tenant', () => {
  let now = 8000;
  const pace = createPace(() => now);
  const lanes = Array.from({ length: 2100 }, () => pace.laneOf('tnt_busy'));
  assert.equal(lanes.filter((lane) => lane === 'slow').length, 100);
  assert.ok(lanes.slice(0, 2000).every((lane) => lane === ''));
  assert.equal(pace.laneOf('tnt_calm'), '');
  now += 8000;
  assert.equal(pace.laneOf('tnt_busy'), '');
});
