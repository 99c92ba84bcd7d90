import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, Refusal } from './failure.ts';

test('the lines of a refusal show control characters escaped', () => {
  const { lines } = explain(new Refusal('there is no user \u001b[31mada\nnor \u202eeve'));
  assert.deepEqual(lines, ['there is no user \\u001b[31mada', 'nor \\u202eeve']);
});
