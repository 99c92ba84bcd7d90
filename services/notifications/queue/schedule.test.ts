import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notificationsSettings } from '../settings.ts';
import { nextWait, parseSchedule, shortSchedule } from './schedule.ts';

const standard = parseSchedule(notificationsSettings.retrySchedule.fallback.split(','));
const [minute, hour] = [60_000, 3_600_000];

test('the schedule makes 11 attempts over about 75 hours', () => {
  assert.equal(standard.length, 11);
  const waits = standard.map((_wait, attempt) => nextWait(standard, attempt, 0) ?? 0);
  const total = waits.reduce((sum, wait) => sum + wait, 0) / hour;
  assert.ok(total > 75 && total < 76, `${total} h`);
});

test('the schedule ends after the last attempt', () => {
  assert.equal(nextWait(standard, 10, 0), 24 * hour);
  assert.equal(nextWait(standard, 11, 0), undefined);
});

test('mails and chat messages end after six attempts', () => {
  const short = shortSchedule(standard);
  assert.deepEqual(short, [0, 5000, minute, 5 * minute, 30 * minute, 2 * hour]);
  assert.equal(nextWait(short, 6, 0), undefined);
});

test('a wait has up to 10 % jitter', () => {
  assert.equal(nextWait(standard, 1, 0), 5000);
  assert.equal(nextWait(standard, 1, 1), 5500);
});

test("a receiver's Retry-After is clamped to [the plain wait, the larger of twice that and an hour]", () => {
  assert.equal(nextWait(standard, 1, 0, 1000), 5000);
  assert.equal(nextWait(standard, 1, 0, 20 * minute), 20 * minute);
  assert.equal(nextWait(standard, 1, 0, 300 * hour), hour);
  assert.equal(nextWait(standard, 6, 0, 300 * hour), 10 * hour);
});

for (const items of [[], ['5'], ['5d'], ['-1s'], ['1.5s'], ['0s', ''], ['1000000s']]) {
  test(`a schedule of ${JSON.stringify(items)} is rejected at start`, () => {
    assert.throws(() => parseSchedule(items));
  });
}
