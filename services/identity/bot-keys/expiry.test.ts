import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWithinLimit, dayMs, expiryAfterRotation, expiryOf, nextNotice } from './expiry.ts';

const now = new Date('2026-01-01T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * dayMs);

test('a new key lasts 90 days, or the tenant’s limit if that is less', () => {
  for (const [tenantDays, days] of [
    [0, 90],
    [365, 90],
    [30, 30],
  ] as const)
    assert.deepEqual(expiryOf(undefined, tenantDays, now), inDays(days));
});

test('a key may expire up to 365 days or the tenant’s limit ahead', () => {
  assert.deepEqual(expiryOf(inDays(365), 0, now), inDays(365));
  assert.deepEqual(expiryOf(inDays(30), 30, now), inDays(30));
  const late = (days: number) => new Date(inDays(days).getTime() + 1);
  assert.throws(() => expiryOf(late(365), 0, now), {
    code: 'invalid_argument',
    message: 'ExpiresAt must be at most 365 days ahead',
  });
  assert.throws(() => expiryOf(late(365), 1000, now), {
    message: 'ExpiresAt must be at most 365 days ahead',
  });
  assert.throws(() => assertWithinLimit(late(30), 30, now), {
    message: 'ExpiresAt must be at most 30 days ahead',
  });
});

test('a rotated key lasts 24 more hours, or its remaining time if that is less', () => {
  assert.deepEqual(expiryAfterRotation(inDays(90), now), inDays(1));
  assert.deepEqual(expiryAfterRotation(inDays(0.5), now), inDays(0.5));
});

test('an expiry is announced 14 days before, 3 days before and at its time, once each', () => {
  const expiresAt = inDays(90);
  const times: number[] = [];
  for (let at = nextNotice(expiresAt, now); at; at = nextNotice(expiresAt, at))
    times.push((at.getTime() - now.getTime()) / dayMs);
  assert.deepEqual(times, [76, 87, 90]);
  assert.deepEqual(
    nextNotice(inDays(10), now),
    inDays(7),
    'a lifetime shorter than a warning time skips that warning',
  );
  assert.deepEqual(nextNotice(inDays(1), now), inDays(1));
  assert.equal(nextNotice(now, now), null);
});
