import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { differences } from './changes.ts';
import { withLonger } from './gains.ts';

const Tenant = 'tnt_1';
const empty = { Gained: [], Lost: [], refused: [], notes: [], complete: true };

/** A tenant in which ada is an editor until then. */
function tenant(ExpiresAt: string) {
  const grant = { ID: 'grt_1', UserID: 'usr_ada', Role: 'editor', Resource: '', ExpiresAt };
  const lists: Record<string, readonly unknown[]> = {
    Grants_ListByTenant: [grant],
    Roles_List: [{ Slug: 'editor', Permissions: ['app.a', 'iam.grants.read'] }],
    Roles_ListPermissions: [{ Name: 'iam.grants.read' }, { Name: 'iam.grants.write' }],
  };
  async function* list(operation: string) {
    yield* lists[operation] ?? [];
  }
  return { client: { list } as unknown as Client, grant };
}

test('a grant that the file lets last longer is a gain in the plan', async () => {
  const { client, grant } = tenant('2098-01-01T00:00:00Z');
  const editor = { kind: 'User' as const, subject: 'usr_ada', Role: 'editor', Resource: '' };
  const live = {
    roles: [],
    groups: [],
    members: new Map(),
    grants: [{ ...editor, ID: 'grt_1', ExpiresAt: grant.ExpiresAt }],
  };
  const gainedUntil = async (ExpiresAt?: string) => {
    const file = { Grants: [{ ...editor, ExpiresAt }] };
    const { changes } = differences(Tenant, file, live, new Map());
    assert.equal(changes.length, 1);
    return (await withLonger(client, Tenant, { changes, preview: empty })).Gained;
  };
  const gain = (Permission: string) => ({ Subject: 'usr_ada', Permission, Resource: '' });
  const both = [gain('app.a'), gain('iam.grants.read')];
  assert.deepEqual(await gainedUntil(), both);
  assert.deepEqual(await gainedUntil('2099-01-01T00:00:00Z'), both);
  assert.deepEqual(await gainedUntil('2097-01-01T00:00:00Z'), []);
});
