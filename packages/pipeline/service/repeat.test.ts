import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '@bailiwick/process';
import { repeat } from './repeat.ts';

const log = createLog('test', () => {});

test('a long run is followed by a pause of several times its length', async () => {
  const restFactor = 4;
  const runs: Array<{ began: number; ended: number }> = [];
  const second = Promise.withResolvers<void>();
  const start = repeat({
    everyMs: 1,
    log,
    failed: '',
    restFactor,
    async work() {
      const began = performance.now();
      await sleep(20);
      runs.push({ began, ended: performance.now() });
      if (runs.length === 2) second.resolve();
    },
  });
  const stop = start();
  await second.promise;
  await stop();
  const [one, other] = runs;
  assert.ok(one && other);
  assert.ok(other.began - one.ended >= restFactor * (one.ended - one.began), JSON.stringify(runs));
});
