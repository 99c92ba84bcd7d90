import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '@bailiwick/process';
import { createAnnouncements, watchRows } from './waiting-rows.ts';

const log = createLog('test', () => {});

/** A broker of one process, which delivers signals at once, and a clock. */
function start(t: TestContext, check: () => Promise<number>) {
  let clock = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  t.mock.method(performance, 'now', () => clock);
  let signals = 0;
  let wake = () => {};
  const announcements = createAnnouncements({
    signal: () => (signals++, wake()),
    listen: async (_subject, listener) => void (wake = () => listener('', () => {})),
  });
  const checks: number[] = [];
  const stop = watchRows({
    announcements,
    log,
    failed: 'looking failed',
    check: () => (checks.push(clock), check()),
  });
  t.after(stop);
  return {
    announce: announcements.announce,
    checks,
    signals: () => signals,
    /** Lets time pass in steps of 50 ms: work due at once happens a step later. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 50) {
        await setImmediate();
        clock += 50;
        t.mock.timers.tick(50);
      }
      await setImmediate();
    },
  };
}

test('a job checks when a row is due, and every five seconds without one', async (t) => {
  const due = [1300, Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY];
  const { checks, pass } = start(t, async () => due.shift() ?? 60_000);
  await pass(12_000);
  assert.deepEqual(checks, [0, 1300, 6300, 6550, 11_550]);
});

test('an announcement wakes a job at once, and many wake it every 250 ms', async (t) => {
  const { checks, signals, announce, pass } = start(t, async () => Number.POSITIVE_INFINITY);
  await pass(1000);
  announce();
  await pass(500);
  assert.deepEqual(checks, [0, 1050]);
  for (let step = 0; step < 10; step++) {
    for (let row = 0; row < 100; row++) announce();
    await pass(50);
  }
  await pass(1000);
  assert.deepEqual(checks, [0, 1050, 1550, 1800, 2050]);
  assert.equal(signals(), 4);
});

test('a row that is announced during a check is found by the next check', async (t) => {
  let finish = (_ms: number) => {};
  const check = () => new Promise<number>((resolve) => (finish = resolve));
  const { checks, announce, pass } = start(t, check);
  await pass(300);
  announce();
  await pass(100);
  finish(Number.POSITIVE_INFINITY);
  await pass(100);
  finish(Number.POSITIVE_INFINITY);
  assert.deepEqual(checks, [0, 450]);
});

test('a failed check is repeated after 250 ms', async (t) => {
  const { checks, pass } = start(t, () => Promise.reject(new Error('the database is away')));
  await pass(500);
  assert.deepEqual(checks, [0, 250, 500]);
});
