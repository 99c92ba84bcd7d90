import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/client.ts';
import type { AccessPath } from '../../client/gen/types.ts';
import type { Change } from './changes.ts';
import { findLockout } from './lockout.ts';

const Tenant = 'tnt_1';
const caller = 'usr_me';

/** The paths by which the caller holds each permission. The platform's key holds them without a path. */
type PathsByPermission = { [permission: string]: Array<Partial<AccessPath>> };

async function refused(paths: PathsByPermission, ...changes: Change[]): Promise<string> {
  const call = (operation: string, { Permission = '' }: { Permission?: string }) => {
    if (operation === 'Account_Get') return Promise.resolve({ User: { ID: caller } });
    const Paths = (paths[Permission] ?? []).map((path) => ({
      Group: '',
      InheritedFrom: '',
      ...path,
    }));
    return Promise.resolve({ Allowed: true, Paths, Missing: [] });
  };
  return (await findLockout({ call } as unknown as Client, Tenant, changes)).join();
}

const byGrants = (...grants: string[]): PathsByPermission => ({
  'iam.grants.write': grants.map((Grant) => ({ Grant })),
});
const grant = (id: string): Change => ({
  operation: 'Grants_Remove',
  request: { Grant: { Tenant, UserID: 'usr_1', Role: 'a' } },
  text: '',
  grant: id,
});
const leave = (Group: string, UserID = caller): Change => ({
  operation: 'Groups_RemoveMember',
  request: { Tenant, Group, UserID },
  text: '',
});
const group = (Path: string): Change => ({
  operation: 'Groups_Delete',
  request: { Tenant, Path },
  text: '',
});
const role: Change = { operation: 'Roles_Delete', request: { Tenant, Slug: 'old' }, text: '' };

const own = /add your grant to the file, or the group and membership that give it/;

test('removals that would revoke the permission for the other removals are rejected', async () => {
  assert.match(await refused(byGrants('grt_1', 'grt_2'), grant('grt_1'), grant('grt_2')), own);
  assert.equal(await refused(byGrants('grt_1', 'grt_owner'), grant('grt_1'), grant('grt_2')), '');
  assert.equal(
    await refused({}, grant('grt_1'), leave('eng'), group('eng'), role),
    '',
    'the platform key has no paths',
  );
});

test('only the permissions that the removals require are checked', async () => {
  const paths = {
    ...byGrants('grt_kept'),
    'iam.groups.write': [{ Grant: 'grt_groups' }],
    'iam.roles.write': [{ Grant: 'grt_roles' }],
  };
  assert.match(await refused(paths, grant('grt_groups'), group('old')), own);
  assert.match(await refused(paths, grant('grt_roles'), role), own);
  assert.equal(await refused(paths, grant('grt_groups'), role), '');
  const saved: Change = {
    operation: 'Roles_Save',
    request: { Role: { Tenant, Slug: 'new' } },
    text: '',
  };
  assert.equal(
    await refused(paths, saved, grant('grt_roles')),
    '',
    'the change is made before the removals',
  );
});

test('rights from a group are lost with the membership and with the group', async () => {
  const paths = {
    'iam.roles.write': [{ Grant: 'grt_1', Group: 'Eng/Backend', InheritedFrom: 'Eng' }],
  };
  for (const lost of [leave('eng/backend'), group('eng/backend'), group('/eng')]) {
    assert.match(await refused(paths, lost, role), own);
    const twice = { 'iam.roles.write': [...paths['iam.roles.write'], { Grant: 'grt_2' }] };
    assert.equal(await refused(twice, lost, role), '');
  }
  for (const other of [leave('eng/backend', 'usr_other'), leave('eng'), group('eng/frontend')])
    assert.equal(await refused(paths, other, role), '');
});
