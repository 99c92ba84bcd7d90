import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAfter } from './times.ts';

test('two changes of a record in one millisecond get different times', () => {
  const ahead = new Date(Date.now() + 5000);
  assert.equal(timeAfter(ahead).getTime(), ahead.getTime() + 1);
  assert.ok(timeAfter(new Date(0)).getTime() > Date.now() - 5000);
});
