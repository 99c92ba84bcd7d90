import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesTrust } from './match.ts';

const trust = {
  issuer: 'https://token.actions.githubusercontent.com',
  audience: 'bailiwick',
  subject: 'repo:acme/app:*',
  claims: { repository_owner_id: '583231', ref: 'refs/heads/*' },
};
const token = {
  iss: trust.issuer,
  aud: 'bailiwick',
  sub: 'repo:acme/app:environment:production',
  repository_owner_id: '583231',
  ref: 'refs/heads/main',
  iat: 1,
};

test('a token that matches every field is trusted', () => {
  assert.equal(matchesTrust(trust, token), true);
  assert.equal(matchesTrust(trust, { ...token, aud: ['other', 'bailiwick'] }), true);
  assert.equal(matchesTrust(trust, { ...token, sub: 'repo:acme/app:' }), true);
  assert.equal(matchesTrust({ ...trust, claims: {} }, { ...token, ref: undefined }), true);
});

const differences: Readonly<Record<string, object>> = {
  'another issuer': { iss: 'https://gitlab.example' },
  'an issuer with a slash at its end': { iss: `${trust.issuer}/` },
  'an issuer in capitals': { iss: trust.issuer.toUpperCase() },
  'an array of issuers': { iss: [trust.issuer] },
  'another audience': { aud: 'bailiwick2' },
  'no audience': { aud: undefined },
  'an empty list of audiences': { aud: [] },
  'an object as its audience': { aud: { 0: 'bailiwick', length: 1 } },
  'the beginning of the subject': { sub: 'repo:acme/app' },
  'a longer name of the repository': { sub: 'repo:acme/app2:ref:refs/heads/main' },
  'the subject in its middle': { sub: 'x repo:acme/app:ref' },
  'no subject': { sub: undefined },
  'a list as its subject': { sub: ['repo:acme/app:'] },
  'another claim': { repository_owner_id: '5832310' },
  'a number as its claim': { repository_owner_id: 583231 },
  'no claim': { ref: undefined },
  'the pattern as its claim': { repository_owner_id: '*' },
};
for (const [name, change] of Object.entries(differences))
  test(`a token with ${name} is not trusted`, () =>
    assert.equal(matchesTrust(trust, { ...token, ...change }), false));

test('only a trailing "*" stands for other characters', () => {
  const exact = { ...trust, subject: 'repo:*/app' };
  assert.equal(matchesTrust(exact, { ...token, sub: 'repo:acme/app' }), false);
  assert.equal(matchesTrust(exact, { ...token, sub: 'repo:*/app' }), true);
  const dotted = { ...trust, subject: 'repo.acme' };
  assert.equal(matchesTrust(dotted, { ...token, sub: 'repo:acme' }), false);
});
