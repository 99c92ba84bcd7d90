import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFinish } from './finish.ts';
import type { Finished } from './store.ts';

const result = {} as Finished;

test('only so many slots are freed early, and again once results are stored', async () => {
  const stored: Array<() => void> = [];
  const finish = createFinish(
    { finish: () => new Promise<void>((resolve) => stored.push(resolve)) },
    2,
  );
  let freed = 0;
  const start = () => finish(result, () => freed++);
  const all = [start(), start(), start()];
  assert.equal(freed, 2);
  for (const resolve of stored) resolve();
  await Promise.all(all);
  void start();
  assert.equal(freed, 3);
});

test('no slot is freed early from the first failed try until a result is stored', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  let isReadOnly = true;
  const store = async () => {
    if (isReadOnly) throw new Error('read-only');
  };
  const finish = createFinish({ finish: store }, 3);
  let freed = 0;
  const start = () => finish(result, () => freed++);
  const first = start();
  await setImmediate();
  const second = start();
  await setImmediate();
  assert.equal(freed, 1);
  isReadOnly = false;
  t.mock.timers.tick(500);
  await Promise.all([first, second]);
  await start();
  assert.equal(freed, 2);
});

test('a result that cannot be stored for 15 seconds is given up, and its slot counts no longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  let tries = 0;
  const store = async () => {
    if (++tries <= 30) throw new Error('read-only');
  };
  const finish = createFinish({ finish: store }, 1);
  let isGivenUp = false;
  const lost = finish(result, () => {}).catch(() => (isGivenUp = true));
  for (let passed = 0; passed < 30; passed++) {
    assert.equal(isGivenUp, false);
    await setImmediate();
    t.mock.timers.tick(500);
  }
  await lost;
  await finish(result);
  let freed = 0;
  await finish(result, () => freed++);
  assert.equal(freed, 1);
});
