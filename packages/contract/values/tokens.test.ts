import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { createToken, tokenHash, tokenKind } from './tokens.ts';

test('tokens have one form and name their kind', () => {
  for (const [kind, letter] of [
    ['session', 's'],
    ['botKey', 'b'],
    ['verify', 'v'],
    ['reset', 'r'],
    ['invitation', 'i'],
    ['code', 'c'],
    ['challenge', 'f'],
    ['worker', 'w'],
    ['support', 'p'],
    ['portalLink', 'o'],
    ['portalSession', 't'],
  ] as const) {
    const token = createToken(kind);
    assert.match(token, new RegExp(`^bwk${letter}_[0-9A-Za-z]{49}$`));
    assert.equal(tokenKind(token), kind);
  }
});

test('a changed character breaks the checksum', () => {
  const token = createToken('session');
  for (const index of [5, 20, 47, 53]) {
    const other = token[index] === 'a' ? 'b' : 'a';
    assert.equal(tokenKind(token.slice(0, index) + other + token.slice(index + 1)), undefined);
  }
  assert.equal(tokenKind(''), undefined);
  assert.equal(tokenKind(`${token}a`), undefined);
  assert.equal(tokenKind(token.replace('bwks_', 'bwkb_')), undefined);
});

test('tokens and their hashes are unique', () => {
  const tokens = Array.from({ length: 1000 }, () => createToken('reset'));
  assert.equal(new Set(tokens).size, 1000);
  assert.equal(
    new Set(tokens.map((token) => Buffer.from(tokenHash(token)).toString('hex'))).size,
    1000,
  );
});
