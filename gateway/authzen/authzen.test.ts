import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAuthzen } from './authzen.ts';

test('the metadata of a public URL with a path are at the well-known path before it', () => {
  const metadata = '/.well-known/authzen-configuration';
  assert.equal(isAuthzen(metadata, ''), true);
  assert.equal(isAuthzen(`${metadata}/iam`, '/iam'), true);
  for (const other of [`${metadata}/other`, `${metadata}/`, `${metadata}/iam/x`])
    assert.equal(isAuthzen(other, '/iam'), false, other);
});
