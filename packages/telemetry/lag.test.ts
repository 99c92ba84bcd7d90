import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureLag } from './lag.ts';

test('a blocked event loop is reported once', async () => {
  const lag = measureLag();
  await sleep(250);
  lag();
  const until = performance.now() + 400;
  while (performance.now() < until);
  const atOnce = lag();
  assert.ok(atOnce > 250, String(atOnce));
  const after = lag();
  assert.ok(after < 250, String(after));
});
