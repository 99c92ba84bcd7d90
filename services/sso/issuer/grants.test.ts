import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from 'oidc-provider';
import { scopesOf } from './grants.ts';

const clientWith = (scopes: string[]) =>
  ({ app: { scopes }, grantTypeAllowed: () => false }) as unknown as Client;

test('a wildcard among the scopes of an app includes no scope about the person, and no permission of the platform', () => {
  for (const pattern of ['app.*', '*'])
    assert.deepEqual(scopesOf(clientWith([pattern]), ['app.reports.read']), ['app.reports.read']);
  const others = ['openid', 'email', 'iam.platform.users.read', 'iam.internal.deliver'];
  assert.deepEqual(scopesOf(clientWith(['*']), others), []);
  assert.deepEqual(scopesOf(clientWith(['iam.platform.*', 'openid']), others), [
    'openid',
    'iam.platform.users.read',
  ]);
});
