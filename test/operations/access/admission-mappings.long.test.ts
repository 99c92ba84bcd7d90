import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { eventually, type Stack } from '../../support/harness.ts';
import { inviter, type Person } from '../../support/invitations.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { admitter } from '../../support/sso.ts';
import { countOf, rowsOf } from '../../support/store.ts';

// The roles and groups that a provider's mappings give and take. In one process only sso itself can
// call Admission, so these tests run with five processes.

describe('the mappings of Admission_Join', () => {
  let stack: Stack;
  let invite: ReturnType<typeof inviter>;
  let use: ReturnType<typeof admitter>;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await sharedStack('five processes');
    invite = inviter(stack);
    use = admitter(stack);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(async () => {
    await use?.close();
    await stack?.stop();
  });

  const act = async (operation: string, body: object) =>
    void bodyOf(await stack.call(operation, body, ada.token));
  const saveRole = (Tenant: string, Slug: string) =>
    act('Roles_Save', { Role: { Tenant, Slug, Permissions: ['app.read'] } });
  const saveGroup = (Tenant: string, Path: string) =>
    act('Groups_Save', { Group: { Tenant, Path } });

  test('Admission_Join adds and removes roles and groups by the mappings, effective with the answer', async () => {
    const Tenant = await invite.tenantOf(ada);
    await saveRole(Tenant, 'editor');
    for (const path of ['Eng/Backend', 'ops']) await saveGroup(Tenant, path);
    const before = (await use.eventTypes(Tenant)).length;
    const first = await use.join(Tenant, bob, {
      roles: ['editor', 'auditor', 'gone'],
      groups: ['eng/backend', '/OPS', 'none/here'],
    });
    assert.deepEqual([first.joined, first.missing], [true, ['gone', 'none/here']]);
    assert.deepEqual(await use.rolesAndGroupsOf(Tenant, bob), {
      roles: ['auditor', 'editor', 'member'],
      groups: ['Eng/Backend', 'ops'],
    });
    const audit = () => stack.call('Audit_List', { Tenant }, bob.token);
    bodyOf(await audit());
    const afterJoin = (await use.eventTypes(Tenant)).length;
    assert.deepEqual((await use.eventTypes(Tenant)).slice(before).sort(), [
      'grant.added',
      'grant.added',
      'grant.added',
      'group.member_added',
      'group.member_added',
      'tenant.member_added',
    ]);
    for (let again = 0; again < 2; again++)
      await use.join(Tenant, bob, {
        roles: ['auditor', 'editor', 'editor'],
        groups: ['ops', 'Eng/Backend', 'ops'],
      });
    assert.equal((await use.eventTypes(Tenant)).length, afterJoin);

    // Gateways cache the auditor's rights: a removed right must be gone with the answer.
    await use.join(Tenant, bob, { roles: ['editor'], groups: ['ops'] });
    assertRefused(await audit(), 403, 'permission_denied');
    assert.deepEqual((await use.eventTypes(Tenant)).slice(afterJoin).sort(), [
      'grant.removed',
      'group.member_removed',
    ]);
    await use.join(Tenant, bob, { roles: ['auditor'] });
    bodyOf(await audit());
    assert.deepEqual(await use.rolesAndGroupsOf(Tenant, bob), {
      roles: ['auditor', 'member'],
      groups: [],
    });
    // Without a provider there are no mappings.
    await use.join(Tenant, bob, { provider: '' });
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['auditor', 'member']);
    await use.join(Tenant, bob);
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['member']);
  });

  test('mappings do not change grants made by hand, before or after, nor those of another provider', async () => {
    const Tenant = await invite.tenantOf(ada);
    for (const path of ['hand', 'found', 'taken', 'mapped']) await saveGroup(Tenant, path);
    await invite.add(Tenant, bob, ada, 'auditor');
    for (const Group of ['hand', 'found'])
      await act('Groups_AddMember', { Tenant, Group, UserID: bob.id });
    const all = { roles: ['member', 'auditor', 'admin'], groups: ['found', 'taken', 'mapped'] };
    await use.join(Tenant, bob, all);
    // A grant by hand on top of a mapped one makes it the administrator's.
    await act('Groups_AddMember', { Tenant, Group: 'taken', UserID: bob.id });
    await act('Grants_Add', { Grant: { Tenant, UserID: bob.id, Role: 'admin' } });
    await use.join(Tenant, bob, all);
    await use.join(Tenant, bob);
    assert.deepEqual(await use.rolesAndGroupsOf(Tenant, bob), {
      roles: ['admin', 'auditor', 'member'],
      groups: ['found', 'hand', 'taken'],
    });

    const other = createId('sso');
    await use.join(Tenant, bob, { provider: other, groups: ['mapped', 'hand'] });
    await use.join(Tenant, bob);
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).groups, [
      'found',
      'hand',
      'mapped',
      'taken',
    ]);
    await use.join(Tenant, bob, { provider: other });
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).groups, ['found', 'hand', 'taken']);
  });

  test('a mapped grant that was removed by hand returns with the next sign-in, and ends with the membership, group or role', async () => {
    const Tenant = await invite.tenantOf(ada);
    await saveRole(Tenant, 'editor');
    await saveGroup(Tenant, 'ops');
    const mapped = { roles: ['editor'], groups: ['ops'] };
    await use.join(Tenant, bob, mapped);
    await act('Grants_Remove', { Grant: { Tenant, UserID: bob.id, Role: 'editor' } });
    await act('Groups_RemoveMember', { Tenant, Group: 'ops', UserID: bob.id });
    await use.join(Tenant, bob, mapped);
    assert.deepEqual(await use.rolesAndGroupsOf(Tenant, bob), {
      roles: ['editor', 'member'],
      groups: ['ops'],
    });

    await act('TenantMembers_Remove', { Tenant, UserID: bob.id });
    await invite.add(Tenant, bob, ada, 'editor');
    await act('Groups_AddMember', { Tenant, Group: 'ops', UserID: bob.id });
    await use.join(Tenant, bob);
    assert.deepEqual(
      await use.rolesAndGroupsOf(Tenant, bob),
      { roles: ['editor', 'member'], groups: ['ops'] },
      'it was given by hand this time',
    );

    await act('Groups_Delete', { Tenant, Path: 'ops' });
    await act('Grants_Remove', { Grant: { Tenant, UserID: bob.id, Role: 'editor' } });
    await act('Roles_Delete', { Tenant, Slug: 'editor' });
    assert.deepEqual((await use.join(Tenant, bob, mapped)).missing, ['editor', 'ops']);
    assert.deepEqual(await use.rolesAndGroupsOf(Tenant, bob), { roles: ['member'], groups: [] });
  });

  test('mappings replace an expired grant, and leave a grant with an expiry as it is', async () => {
    const Tenant = await invite.tenantOf(ada);
    await invite.add(Tenant, bob, ada);
    for (const Role of ['auditor', 'admin'])
      await act('Grants_Add', {
        Grant: {
          Tenant,
          UserID: bob.id,
          Role,
          ExpiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        },
      });
    await rowsOf(
      stack,
      `update access.grant_entry set expires_at = now() - interval '1 second' where tenant = $1 and role = 'auditor'`,
      [Tenant],
    );
    await use.join(Tenant, bob, { roles: ['auditor', 'admin'] });
    const ends = () =>
      rowsOf(
        stack,
        `select role, expires_at is not null as ends from access.grant_entry where tenant = $1 and subject = $2 and role <> 'member' order by role`,
        [Tenant, bob.id],
      );
    assert.deepEqual(await ends(), [
      { role: 'admin', ends: true },
      { role: 'auditor', ends: false },
    ]);
    await use.join(Tenant, bob);
    assert.deepEqual(await ends(), [{ role: 'admin', ends: true }]);
  });

  test('mappings never remove the last owner of a tenant, and log a warning', async () => {
    const Tenant = await invite.tenantOf(ada);
    await use.join(Tenant, bob, { roles: ['owner'] });
    bodyOf(
      await stack.call(
        'Grants_Remove',
        { Grant: { Tenant, UserID: ada.id, Role: 'owner' } },
        bob.token,
      ),
    );
    await use.join(Tenant, bob);
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['member', 'owner']);
    await eventually('the log', async () =>
      stack.logOf('access').includes('no longer name the last owner of the tenant'),
    );
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant, UserID: ada.id, Role: 'owner' } },
        bob.token,
      ),
    );
    // An owner who has not accepted does not count.
    await use.join(Tenant, bob);
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['member', 'owner']);
    bodyOf(await stack.call('TenantMembers_Accept', { Tenant }, ada.token));
    await use.join(Tenant, bob);
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['member']);
    // Two mapped owners lose the role at once: one of them stays owner.
    await Promise.all([ada, bob].map((person) => use.join(Tenant, person, { roles: ['owner'] })));
    await rowsOf(
      stack,
      `update access.grant_entry set mapped_by = $2 where tenant = $1 and role = 'owner'`,
      [Tenant, use.provider],
    );
    await Promise.all([ada, bob].map((person) => use.join(Tenant, person)));
    assert.equal(
      await countOf(stack, `access.grant_entry where tenant = $1 and role = 'owner'`, [Tenant]),
      1,
    );
  });

  test('Admission_Join called 50 times at once makes one member, one grant and one event of each', async () => {
    const Tenant = await invite.tenantOf(ada);
    await saveGroup(Tenant, 'ops');
    const before = (await use.eventTypes(Tenant)).length;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        use.join(Tenant, bob, { roles: ['auditor'], groups: ['ops'] }),
      ),
    );
    assert.equal(answers.filter(({ joined }) => joined).length, 1);
    assert.deepEqual(await use.rolesAndGroupsOf(Tenant, bob), {
      roles: ['auditor', 'member'],
      groups: ['ops'],
    });
    assert.deepEqual((await use.eventTypes(Tenant)).slice(before).sort(), [
      'grant.added',
      'grant.added',
      'group.member_added',
      'tenant.member_added',
    ]);
  });

  test('Admission_Join and manual changes at once wait for each other, and leave a state that serial calls could leave', async () => {
    const Tenant = await invite.tenantOf(ada);
    for (let round = 0; round < 5; round++) {
      for (const path of ['a', 'b']) await saveGroup(Tenant, path);
      await saveRole(Tenant, 'editor');
      const grant = { Grant: { Tenant, UserID: bob.id, Role: 'editor' } };
      const mapped = { roles: ['editor', 'auditor'], groups: ['b', 'a'] };
      const hands: Array<[string, object]> = [
        ['Groups_Delete', { Tenant, Path: 'a' }],
        ['Groups_RemoveMember', { Tenant, Group: 'b', UserID: bob.id }],
        ['Groups_AddMember', { Tenant, Group: 'b', UserID: bob.id }],
        ['Grants_Add', grant],
        ['Grants_Remove', grant],
        ['Roles_Delete', { Tenant, Slug: 'editor' }],
        ['TenantMembers_Remove', { Tenant, UserID: bob.id }],
      ];
      const joins = Array.from({ length: 6 }, (_, index) =>
        use.join(Tenant, bob, index % 2 === 0 ? mapped : {}),
      );
      const answers = await Promise.all(
        [...hands, ...hands].map(([operation, body]) => stack.call(operation, body, ada.token)),
      );
      await Promise.all(joins);
      for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body));
      assert.equal(
        await countOf(
          stack,
          `access.grant_entry g where tenant = $1 and subject_type = 'user' and not exists (select 1 from access.tenant_member m where m.tenant = g.tenant and m.user_id = g.subject)`,
          [Tenant],
        ),
        0,
      );
      await use.join(Tenant, bob, mapped);
    }
  });
});
