import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeHash, createCodes } from './codes.ts';

test('createCodes returns eight different codes of 100 bits', () => {
  const codes = createCodes();
  assert.equal(new Set(codes).size, 8);
  for (const code of codes)
    assert.match(code, /^(?:[0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
});

test('codeHash is the same for every spelling of a code, and another for another code', () => {
  const hash = codeHash('k7m10-9xq4t-3hj6w-b8nvz');
  assert.deepEqual(codeHash(' K7MLO 9XQ4T 3HJ6W B8NVZ'), hash);
  assert.notDeepEqual(codeHash('k7m10-9xq4t-3hj6w-b8nvy'), hash);
});
