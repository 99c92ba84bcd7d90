import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDeadline } from './deadline.ts';

test('a deadline aborts its signal and runs its end once, at its time or before', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  for (const endsEarly of [false, true]) {
    let ends = 0;
    const deadline = startDeadline(1000, () => ends++);
    const early = deadline.signal();
    t.mock.timers.tick(999);
    assert.deepEqual([early.aborted, ends], [false, 0]);
    if (endsEarly) deadline.end();
    t.mock.timers.tick(1);
    assert.deepEqual([early.aborted, deadline.signal() === early, ends], [true, true, 1]);
  }
});

test('a signal that is first asked for after the end is aborted', () => {
  const deadline = startDeadline(0);
  deadline.end();
  assert.equal(deadline.signal().aborted, true);
});

test('a finished deadline never ends', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const deadline = startDeadline(1000);
  deadline.finish();
  t.mock.timers.tick(2000);
  assert.equal(deadline.signal().aborted, false);
});

test('a deadline beyond the longest timer does not end at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const deadline = startDeadline(2 ** 40);
  t.mock.timers.tick(1000);
  assert.equal(deadline.signal().aborted, false);
  deadline.finish();
});
