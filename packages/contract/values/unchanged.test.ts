import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { assertUnchanged } from './unchanged.ts';

const updatedAt = new Date('2026-05-01T12:00:00.123Z');
const read = timestampFromDate(updatedAt);
const isStale = { reason: 'STALE', message: 'the bot was changed meanwhile' };

test('a row that is as the caller has read it may change, as an entity and as a row of SQL', () => {
  assertUnchanged('the bot', { updatedAt }, read);
  assertUnchanged('the bot', { updatedAt: '2026-05-01 12:00:00.123+00' }, read);
});

test('a row that is a millisecond younger, and a missing one, are refused', () => {
  const younger = new Date(updatedAt.getTime() + 1);
  assert.throws(() => assertUnchanged('the bot', { updatedAt: younger }, read), isStale);
  assert.throws(() => assertUnchanged('the bot', null, read), isStale);
  assert.throws(() => assertUnchanged('the bot', undefined, read), isStale);
});

test('without a time every row may change', () => {
  assertUnchanged('the bot', { updatedAt }, undefined);
  assertUnchanged('the bot', null, undefined);
});
