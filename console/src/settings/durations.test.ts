import assert from 'node:assert/strict';
import { test } from 'node:test';
import { days, minutes, unitOf } from './durations.ts';

test('a length of time is shown in the largest unit in which it is whole', () => {
  assert.equal(unitOf(45, minutes), 'minute');
  assert.equal(unitOf(120, minutes), 'hour');
  assert.equal(unitOf(1500, minutes), 'hour');
  assert.equal(unitOf(10_080, minutes), 'day');
  assert.equal(unitOf(0, minutes), 'day');
  assert.equal(unitOf(7, days), 'day');
});
