import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeClaims } from './userinfo.ts';

const signed = { iss: 'https://login.example.com', sub: 'ada', aud: 'a', exp: 1, iat: 1 };

test('what the ID token says wins over what the userinfo endpoint says', () => {
  const told = {
    sub: 'eve',
    iss: 'https://eve.example',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['a'],
    name: 'Eve',
  };
  const merged = mergeClaims({ ...signed, name: 'Ada' }, told);
  assert.deepEqual(merged, {
    ...signed,
    name: 'Ada',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['a'],
  });
});

test('an ID token without an address verifies none', () => {
  assert.equal(
    mergeClaims({ ...signed, email_verified: true }, { email: 'eve@example.com' })[
      'email_verified'
    ],
    undefined,
  );
});
