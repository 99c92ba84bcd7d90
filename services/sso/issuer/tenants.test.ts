import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenants } from './tenants.ts';
import type { Person } from './visit.ts';

/** The claims of a member with these permissions and groups, for an access token or an ID token. */
function claimsOf(member: { permissions: string[]; groups?: string[] }, scopes?: string[]) {
  const authority = {
    describeMember: async () => ({ roles: ['reader'], groups: [], ...member }),
    listUserTenants: async () => ({ tenants: [] }),
  };
  const tenants = createTenants({ authority } as unknown as Parameters<typeof createTenants>[0]);
  return tenants.claimsIn({} as Person, { id: 'tnt_1', slug: 'acme', name: 'Acme' }, scopes);
}

test('an access token has the permissions that the person and the scopes have in common', async () => {
  const of = async (held: string[], scopes: string[]) =>
    (await claimsOf({ permissions: held }, scopes))['permissions'];
  assert.deepEqual(await of(['app.a.read', 'app.b.read'], ['app.a.read']), ['app.a.read']);
  assert.deepEqual(await of(['app.*'], ['app.a.read', 'iam.users.read']), ['app.a.read']);
  assert.deepEqual(await of(['app.a.read'], ['app.*']), ['app.a.read']);
  assert.deepEqual(await of(['app.a.read'], []), []);
  assert.equal((await claimsOf({ permissions: ['app.a.read'] }))['permissions'], undefined);
});

test('a list that is too long for a token is left out, and the token says so', async () => {
  const many = Array.from({ length: 101 }, (_, index) => `app.a.r${index}`);
  const { permissions, permissions_omitted } = await claimsOf({ permissions: many }, ['app.*']);
  assert.deepEqual([permissions, permissions_omitted], [undefined, true]);
  const groups = Array.from({ length: 201 }, (_, index) => `g${index}`);
  const claims = await claimsOf({ permissions: [], groups });
  assert.deepEqual([claims['groups'], claims['groups_omitted']], [undefined, true]);
});
