import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createReadiness } from './readiness.ts';

/** A readiness whose checks return these states in order, repeating the last one. */
function ask(...states: Array<'there' | Error>) {
  let checks = 0;
  const readiness = createReadiness(() => {
    const state = states[Math.min(checks++, states.length - 1)];
    return state === 'there' ? Promise.resolve() : Promise.reject(state);
  });
  return { readiness, checks: () => checks };
}

/** Stops the clock. Deno does not reset it by itself at the end of a test. */
function stopTheClock(t: TestContext): void {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  t.after(() => t.mock.timers.reset());
}

test('a ready process is checked once in two seconds, however often it is probed', async (t) => {
  stopTheClock(t);
  const { readiness, checks } = ask('there', new Error('the database is away'));
  for (let times = 0; times < 10; times++) {
    assert.equal(await readiness(), undefined);
    t.mock.timers.tick(190);
  }
  assert.equal(checks(), 1);
  t.mock.timers.tick(200);
  assert.equal(await readiness(), 'the database is away');
  assert.equal(checks(), 2);
});

test('an unready process is checked at each probe, so that recovery shows at once', async (t) => {
  stopTheClock(t);
  const { readiness, checks } = ask(
    new Error('the schema cannot be used yet'),
    new Error('the broker is away'),
    'there',
  );
  assert.equal(await readiness(), 'the schema cannot be used yet');
  assert.equal(await readiness(), 'the broker is away');
  assert.equal(await readiness(), undefined);
  assert.equal(checks(), 3);
});

test('a hanging check is reported within its limit, is not started twice, and clears when it ends', async () => {
  let checks = 0;
  let end = () => {};
  const readiness = createReadiness(() => {
    checks++;
    return checks === 1 ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve();
  }, 50);
  const began = performance.now();
  const problems = await Promise.all(Array.from({ length: 20 }, readiness));
  assert.ok(performance.now() - began < 2000);
  assert.deepEqual([...new Set(problems)], ['a readiness check has not finished']);
  // The check is already late: later probes do not wait again.
  const late = readiness();
  const limit = new Promise((resolve) => setTimeout(resolve, 50, 'it waits again'));
  assert.equal(await Promise.race([late, limit]), 'a readiness check has not finished');
  assert.equal(checks, 1);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await readiness(), undefined);
});
