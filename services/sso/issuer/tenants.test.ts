import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Loaded } from '@bailiwick/broker';
import {
  DescribeMemberResponseSchema,
  ListUserTenantsResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { ResolveResponseSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { create } from '@bufbuild/protobuf';
import { byIssuer } from './request.ts';
import { claimsOfMember, createTenants } from './tenants.ts';

/** The claims of a member with these permissions and groups, for an access token or an ID token. */
const claimsOf = (member: { permissions: string[]; groups?: string[] }, scopes?: string[]) =>
  claimsOfMember({ id: 'tnt_1', slug: 'acme', roles: ['reader'], groups: [], ...member }, scopes);

test('an access token has the permissions that the person and the scopes have in common', () => {
  const of = (permissions: string[], scopes: string[]) =>
    claimsOf({ permissions }, scopes)['permissions'];
  assert.deepEqual(of(['app.a.read', 'app.b.read'], ['app.a.read']), ['app.a.read']);
  assert.deepEqual(of(['app.*'], ['app.a.read', 'iam.users.read']), ['app.a.read']);
  assert.deepEqual(of(['app.a.read'], ['app.*']), ['app.a.read']);
  assert.deepEqual(of(['app.a.read'], []), []);
  assert.equal(claimsOf({ permissions: ['app.a.read'] })['permissions'], undefined);
});

test('a list that is too long for a token is left out, and the token says so', () => {
  const many = Array.from({ length: 101 }, (_, index) => `app.a.r${index}`);
  const { permissions, permissions_omitted } = claimsOf({ permissions: many }, ['app.*']);
  assert.deepEqual([permissions, permissions_omitted], [undefined, true]);
  const groups = Array.from({ length: 201 }, (_, index) => `g${index}`);
  const claims = claimsOf({ permissions: [], groups });
  assert.deepEqual([claims['groups'], claims['groups_omitted']], [undefined, true]);
});

test('a member is described from the answer of access of the previous version', async () => {
  const place = { id: 'tnt_1', slug: 'acme', name: 'Acme' };
  const previous = { roles: ['reader'], groups: ['eng'], permissions: ['app.a.read'] };
  const { describe } = createTenants({
    authority: {
      listUserTenants: async () => create(ListUserTenantsResponseSchema, { tenants: [place] }),
      describeMember: async () => create(DescribeMemberResponseSchema, previous),
    },
    rightsCache: {
      async getOrLoad<T>(_name: string, load: () => Promise<Loaded<T>>): Promise<T> {
        const { value, lastsMs } = await load();
        assert.equal(lastsMs, 0, 'an answer without keys is not cached');
        return value;
      },
    },
  });
  const { effective, ...member } = await describe(create(ResolveResponseSchema), 'tnt_1', byIssuer);
  assert.equal(effective, undefined);
  const claims = claimsOfMember(member, ['app.*']);
  assert.deepEqual([claims['tenant_slug'], claims['roles']], ['acme', ['reader']]);
});
