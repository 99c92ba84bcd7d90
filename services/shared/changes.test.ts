import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields, timeAfter } from './changes.ts';

test('an event names the fields that differ, as they were, but not the time of the change', () => {
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

test('a field that was not set before is null, and one that is not set any more as it was', () => {
  assert.deepEqual(changedFields({ Name: 'a' }, { Name: 'a', DisabledAt: 'now' }), {
    DisabledAt: null,
  });
  assert.deepEqual(changedFields({ Name: 'a', DisabledAt: 'now' }, { Name: 'a' }), {
    DisabledAt: 'now',
  });
});

test('a record that is changed twice in a millisecond has two times', () => {
  const ahead = new Date(Date.now() + 5000);
  assert.equal(timeAfter(ahead).getTime(), ahead.getTime() + 1);
  assert.ok(timeAfter(new Date(0)).getTime() > Date.now() - 5000);
});
