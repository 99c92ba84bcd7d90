import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import {
  accountOf,
  assertScimError,
  type Directory,
  newDirectory,
  patchOf,
  type Resource,
  type Scim,
  startScim,
} from './scim-calls.ts';

// An administrator may choose a group below which a directory creates its own.

describeOne('the parent of SCIM groups', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const asOwner = (operation: string, body: object) =>
    suite.stack.call(operation, body, suite.owner.token);
  const choose = (Tenant: string, ScimGroupParent: string, token = suite.owner.token) =>
    suite.stack.call(
      'Tenants_Update',
      { Tenant: { ID: Tenant, Settings: { ScimGroupParent } } },
      token,
    );
  const saveGroup = async (Tenant: string, Path: string) =>
    bodyOf(await asOwner('Groups_Save', { Group: { Tenant, Path } }));
  const grantTo = async (Tenant: string, Group: string, Role: string) =>
    bodyOf(await asOwner('GroupGrants_Add', { Grant: { Tenant, Group, Role } }));
  const push = ({ get }: Directory, displayName: string, members: Resource[] = []) =>
    get<Resource>(
      'POST',
      'Groups',
      { displayName, members: members.map(({ id }) => ({ value: id })) },
      201,
    );
  const pathOf = async (Tenant: string, Path: string) =>
    (recordIn(await asOwner('Groups_Get', { Tenant, Path }), 'Group') as { Path: string } | null)
      ?.Path;
  const fresh = () => newDirectory(suite.stack, suite.owner);

  test('new groups are below the parent, and those that exist stay in place', async () => {
    const directory = await fresh();
    const { Tenant, call, find } = directory;
    await saveGroup(Tenant, 'Company/Teams');
    const early = await push(directory, 'Early');
    bodyOf(await choose(Tenant, '/Company/Teams'));
    const late = await push(directory, 'Late');
    assert.equal(await pathOf(Tenant, 'early'), 'Early');
    assert.equal(await pathOf(Tenant, 'company/teams/late'), 'Company/Teams/Late');
    for (const { id, displayName } of [early, late]) {
      const rename = patchOf({ op: 'replace', path: 'displayName', value: `New ${displayName}` });
      assert.equal((await call('PATCH', `Groups/${id}`, rename)).status, 204);
    }
    assert.equal(await pathOf(Tenant, 'company/teams/late'), 'Company/Teams/Late');
    assert.equal((await find('displayName eq "New Late"', 'Groups')).totalResults, 1);
    await saveGroup(Tenant, 'company/teams/admins');
    const answer = await call('POST', 'Groups', { displayName: 'Admins' });
    assertScimError(answer, 409, 'uniqueness');
    bodyOf(await choose(Tenant, ''));
    await push(directory, 'Admins');
    assert.equal(await pathOf(Tenant, 'admins'), 'Admins');
  });

  test('the roles of the parent reach the members of the groups below it', async () => {
    const directory = await fresh();
    const { Tenant, create } = directory;
    await saveGroup(Tenant, 'staff');
    await grantTo(Tenant, 'staff', 'admin');
    bodyOf(await choose(Tenant, 'staff'));
    const person = await create('ann');
    await push(directory, 'Sales', [person]);
    const question = { Tenant, Subject: accountOf(person), Permission: 'iam.roles.write' };
    assert.equal(recordIn(await asOwner('Access_Check', question), 'Allowed'), true);
    await grantTo(Tenant, 'staff', 'owner');
    const bob = await create('bob');
    const members = [{ value: bob.id }];
    const late = await directory.call('POST', 'Groups', { displayName: 'Late', members });
    assertScimError(late, 403);
  });

  test('the parent must exist, be made by hand, give no ownership, and give only what the caller holds', async () => {
    const directory = await fresh();
    const { Tenant } = directory;
    const { stack } = suite;
    assertRefused(await choose(Tenant, 'nowhere'), 400, 'not_found');
    assertRefused(await choose(Tenant, 'not a path'), 400, 'invalid_argument');
    assertRefused(await choose(Tenant, 'a/b/c/d/e/f/g/h'), 400, 'invalid_argument');
    await push(directory, 'Managed');
    assertRefused(await choose(Tenant, 'managed'), 400, 'failed_precondition');
    await saveGroup(Tenant, 'bosses/assistants');
    await saveGroup(Tenant, 'bosses');
    await grantTo(Tenant, 'bosses', 'owner');
    assertRefused(await choose(Tenant, 'bosses/assistants'), 400, 'failed_precondition');
    await saveGroup(Tenant, 'money');
    const Role = { Tenant, Slug: 'payer', Name: 'Payer', Permissions: ['app.money.move'] };
    bodyOf(await asOwner('Roles_Save', { Role }));
    await grantTo(Tenant, 'money', 'payer');
    const admin = await signUp(stack);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: admin.id }, stack.platformKey));
    bodyOf(await asOwner('Grants_Add', { Grant: { Tenant, UserID: admin.id, Role: 'admin' } }));
    assertRefused(await choose(Tenant, 'money', admin.token), 403, 'permission_denied');
    bodyOf(await choose(Tenant, 'money'));
  });
});
