import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLag } from './lag.ts';

test('a blocked event loop is reported once, before its late timer or after', (t) => {
  let clock = 0;
  let tick = () => {};
  t.mock.method(performance, 'now', () => clock);
  const lag = measureLag((work) => (tick = work));
  clock += 1000;
  tick();
  assert.equal(lag(), 0);
  clock += 7000; // the probe comes before the timer
  assert.equal(lag(), 6000);
  tick();
  assert.equal(lag(), 0);
  clock += 7000; // the timer comes before the probe
  tick();
  assert.equal(lag(), 6000);
  assert.equal(lag(), 0);
});
