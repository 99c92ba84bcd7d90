import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeClaims } from './userinfo.ts';

const signed = { iss: 'https://login.example.com', sub: 'ada', aud: 'a', exp: 1, iat: 1 };

test('claims of the ID token take precedence over claims of the userinfo endpoint', () => {
  const userinfo = {
    sub: 'eve',
    iss: 'https://eve.example',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['a'],
    name: 'Eve',
  };
  const merged = mergeClaims({ ...signed, name: 'Ada' }, userinfo);
  assert.deepEqual(merged, {
    ...signed,
    name: 'Ada',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['a'],
  });
});

test('email_verified in an ID token without an address is ignored', () => {
  assert.equal(
    mergeClaims({ ...signed, email_verified: true }, { email: 'eve@example.com' })[
      'email_verified'
    ],
    undefined,
  );
});

test('nested claims of both sources are joined, and those of the ID token take precedence', () => {
  const { sub: _sub, ...claims } = mergeClaims(
    { ...signed, realm_access: { level: 1, list: ['a'] } },
    { sub: signed.sub, realm_access: { level: 2, list: ['b'], roles: ['editor'] } },
  );
  assert.deepEqual(claims['realm_access'], { level: 1, list: ['a'], roles: ['editor'] });
});
