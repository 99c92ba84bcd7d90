import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCode, normaliseCode } from './codes.ts';

test('createCode returns a different code each time, in groups of five', () => {
  const codes = Array.from({ length: 10 }, () => createCode(2));
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
  assert.match(createCode(4), /^(?:[0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
});

test('normaliseCode accepts a code as people write it down', () => {
  for (const text of ['k7m10-9xq4t', 'K7M10 9XQ4T', ' k7mlo9xq4t ', 'K7MIO-9XQ4T'])
    assert.equal(normaliseCode(text), 'k7m109xq4t');
});
