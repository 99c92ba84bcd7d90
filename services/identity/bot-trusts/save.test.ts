import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwnIssuer } from './save.ts';

test('a trust that names our own issuer is recognised with and without a slash at the end', () => {
  for (const issuer of ['https://id.example.com', 'https://id.example.com/'])
    for (const publicUrl of ['https://id.example.com', 'https://id.example.com/'])
      assert.ok(isOwnIssuer(issuer, publicUrl));
  assert.ok(!isOwnIssuer('https://id.example.com/other', 'https://id.example.com'));
});
