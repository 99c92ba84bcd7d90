import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSearch, toFilter, toInstant, toLocalTime } from './search.ts';

test('an address keeps the filters that it knows, and drops the others', () => {
  const filters = {
    action: 'group.',
    result: 'denied',
    from: '2026-11-01T00:00:00.000Z',
    cursor: 'c',
  };
  assert.deepEqual(readSearch({ ...filters, order: 'oldest' }), { ...filters, order: 'oldest' });
  assert.deepEqual(
    readSearch({ action: 7, ip: '', to: 'yesterday', order: 'odd', panel: 'x', other: 'y' }),
    {},
  );
});

test('the filter of a call has only the given fields', () => {
  assert.deepEqual(toFilter({}), {});
  assert.deepEqual(toFilter({ action: 'group.', actor: 'usr_1', target: 'grp_1' }), {
    ActionPrefix: 'group.',
    ActorIDs: ['usr_1'],
    TargetIDs: ['grp_1'],
  });
});

test('a local time is the same instant again', () => {
  assert.equal(toInstant(toLocalTime('2026-11-01T12:30:00.000Z')), '2026-11-01T12:30:00.000Z');
  assert.equal(toLocalTime(undefined), '');
  assert.equal(toInstant(''), '');
});
