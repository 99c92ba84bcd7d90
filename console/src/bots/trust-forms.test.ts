import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyFields, exchangeOf, fieldsFrom, kindOf, trustOf } from './trust-forms.ts';

const fields = emptyFields('https://id.example.com');

test('a trust in GitHub names the repository, the branch and the owner by number', () => {
  const trust = trustOf({ ...fields, project: 'acme/app', branch: 'main', number: '583231' });
  assert.deepEqual(trust, {
    Issuer: 'https://token.actions.githubusercontent.com',
    Audience: 'https://id.example.com',
    Subject: 'repo:acme/app:ref:refs/heads/main',
    Claims: { repository_owner_id: '583231' },
    JWKS: '',
  });
  assert.equal(kindOf(trust), 'github');
  assert.equal(trustOf({ ...fields, project: 'acme/app' }).Subject, 'repo:acme/app:*');
});

test('a trust in a cluster names the service account and has the keys of the cluster', () => {
  const trust = trustOf({
    ...fields,
    kind: 'kubernetes',
    issuer: 'https://kubernetes.default.svc.cluster.local',
    namespace: 'ci',
    account: 'deployer',
    jwks: ' {"keys":[]} ',
  });
  assert.equal(trust.Subject, 'system:serviceaccount:ci:deployer');
  assert.equal(trust.JWKS, '{"keys":[]}');
  assert.equal(kindOf(trust), 'kubernetes');
});

test('a stored trust of any kind stays the same when it is edited', () => {
  const trust = trustOf({
    ...fields,
    kind: 'gitlab',
    issuer: 'https://gitlab.com',
    project: 'acme/app',
    branch: 'main',
    number: '20',
  });
  assert.equal(kindOf(trust), 'gitlab');
  const claims = { ...trust.Claims, expression: 'a=b' };
  assert.deepEqual(trustOf(fieldsFrom({ ...trust, Claims: claims })), { ...trust, Claims: claims });
});

test('a job exchanges its token as the bot', () => {
  const use = { url: 'https://id.example.com', bot: 'bot_1', audience: 'https://id.example.com' };
  for (const kind of ['kubernetes', 'github', 'gitlab', 'other'] as const) {
    const code = exchangeOf({ ...use, kind });
    assert.match(code, /https:\/\/id\.example\.com\/oauth\/token/, kind);
    assert.match(code, /client_id=bot_1/, kind);
  }
  assert.match(exchangeOf({ ...use, kind: 'gitlab' }), /token-type:id_token/);
});
