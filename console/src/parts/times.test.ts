import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactTime, relativeTime, waitingTime } from './times.ts';

const now = Date.parse('2026-11-23T12:00:00Z');

test('a time is shown in the largest unit that it fills, in the past and in the future', () => {
  assert.equal(relativeTime('2026-11-23T11:59:50Z', 'en', now), 'this minute');
  assert.equal(relativeTime('2026-11-23T11:15:00Z', 'en', now), '45 minutes ago');
  assert.equal(relativeTime('2026-11-25T13:00:00Z', 'en', now), 'in 2 days');
  assert.equal(relativeTime('2026-11-22T11:00:00Z', 'de', now), 'gestern');
  assert.equal(relativeTime('2024-11-01T00:00:00Z', 'en', now), '2 years ago');
});

test('the exact time has a date and a time zone', () => {
  assert.match(exactTime('2026-11-23T12:00:00Z', 'en'), /2026.*\d{1,2}:\d{2}:\d{2}.*[A-Z]/);
});

test('a wait is shown in seconds up to two minutes, then in minutes, rounded up', () => {
  assert.equal(waitingTime(1, 'en'), '1 second');
  assert.equal(waitingTime(119, 'en'), '119 seconds');
  assert.equal(waitingTime(121, 'en'), '3 minutes');
  assert.equal(waitingTime(3600, 'de'), '60 Minuten');
});
