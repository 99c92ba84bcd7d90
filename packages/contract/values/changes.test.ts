import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields } from './changes.ts';

test('changedFields returns the old values of changed fields, without UpdatedAt', () => {
  const before = { Name: 'a', Description: '', Metadata: { x: '1', y: '2' }, UpdatedAt: '1' };
  assert.deepEqual(changedFields(before, { ...before, Name: 'b', UpdatedAt: '2' }), { Name: 'a' });
  assert.deepEqual(
    changedFields(before, { ...before, Metadata: { y: '2', x: '1' }, UpdatedAt: '2' }),
    {},
  );
  assert.deepEqual(changedFields(before, { ...before, Metadata: {} }), {
    Metadata: { x: '1', y: '2' },
  });
});

test('changedFields returns null for a field that was unset before, and the old value for one that is unset now', () => {
  assert.deepEqual(changedFields({ Name: 'a' }, { Name: 'a', DisabledAt: 'now' }), {
    DisabledAt: null,
  });
  assert.deepEqual(changedFields({ Name: 'a', DisabledAt: 'now' }, { Name: 'a' }), {
    DisabledAt: 'now',
  });
});
