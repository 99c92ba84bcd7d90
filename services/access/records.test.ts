import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAfter } from './records.ts';

test('a record that is changed twice in a millisecond has two times', () => {
  const ahead = new Date(Date.now() + 5000);
  assert.equal(timeAfter(ahead).getTime(), ahead.getTime() + 1);
  assert.ok(timeAfter(new Date(0)).getTime() > Date.now() - 5000);
});
