import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysAhead, stateOf } from './key-state.ts';

const now = Date.parse('2026-11-23T12:00:30Z');

test('a key is active, ends within 14 days, has expired or was revoked', () => {
  assert.equal(stateOf({ ExpiresAt: '2027-01-01T00:00:00Z' }, now), 'active');
  assert.equal(stateOf({ ExpiresAt: '2026-11-30T00:00:00Z' }, now), 'ending');
  assert.equal(stateOf({ ExpiresAt: '2026-11-23T12:00:30Z' }, now), 'expired');
  const RevokedAt = '2026-11-22T00:00:00Z';
  assert.equal(stateOf({ ExpiresAt: RevokedAt, RevokedAt }, now), 'revoked');
});

test('the longest expiry is not later than the service allows', () => {
  assert.equal(daysAhead(365, now), '2027-11-23T12:00:00.000Z');
});
