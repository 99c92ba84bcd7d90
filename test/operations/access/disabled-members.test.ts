import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { ownedBy, signUp, tenantFor } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type Members, type Person, startMembers } from './member-calls.ts';

describeOne('disabled members and suspended tenants', 'one process', (topology) => {
  let suite: Members;
  before(async () => {
    suite = await startMembers(topology);
  });
  after(() => suite?.stop());

  const disable = (Tenant: string, { id }: Person, token = suite.ada.token) =>
    suite.stack.call('TenantMembers_Disable', { Tenant, UserID: id }, token);
  const enable = (Tenant: string, { id }: Person, token = suite.ada.token) =>
    suite.stack.call('TenantMembers_Enable', { Tenant, UserID: id }, token);
  const groupsIn = (Tenant: string, { token }: Person) =>
    suite.stack.call('Groups_List', { Tenant }, token);
  const statusOf = async (tenant: string, { id }: Person) =>
    (await suite.membersOf(tenant)).items.find(({ UserID }) => UserID === id)?.Status;

  test('TenantMembers_Disable takes all rights in the tenant with the reply and keeps the grants, and TenantMembers_Enable restores the rights', async () => {
    const { stack, ada, bob, tenantOfAda, add, tenantsOf, countEvents } = suite;
    const tenant = await tenantOfAda();
    bodyOf(await add(tenant, bob));
    bodyOf(await groupsIn(tenant, bob));
    assert.deepEqual(bodyOf(await disable(tenant, bob)), {});
    assertRefused(await groupsIn(tenant, bob), 403, 'permission_denied', ['permission denied']);
    bodyOf(await disable(tenant, bob));
    assert.equal(await statusOf(tenant, bob), 'disabled');
    const question = { Tenant: tenant, Subject: bob.id, Permission: 'iam.groups.read' };
    assert.equal(recordIn(await stack.call('Access_Check', question, ada.token), 'Allowed'), false);
    assert.deepEqual(recordIn(await stack.call('Access_Explain', question, ada.token), 'Missing'), [
      'the membership is disabled',
    ]);
    assert.ok(!(await tenantsOf(bob)).includes(tenant));
    for (const operation of ['TenantMembers_Accept', 'TenantMembers_Decline'])
      assertRefused(
        await stack.call(operation, { Tenant: tenant }, bob.token),
        403,
        'permission_denied',
        ['permission denied'],
      );
    bodyOf(await add(tenant, bob));
    assertRefused(await groupsIn(tenant, bob), 403, 'permission_denied');
    assert.deepEqual(
      await rowsOf(
        stack,
        'select role from access.grant_entry where tenant = $1 and subject = $2',
        [tenant, bob.id],
      ),
      [{ role: 'member' }],
    );
    assert.deepEqual(bodyOf(await enable(tenant, bob)), {});
    bodyOf(await groupsIn(tenant, bob));
    bodyOf(await enable(tenant, bob));
    assert.equal(await countEvents(tenant, 'tenant.member_disabled'), 1);
    assert.equal(await countEvents(tenant, 'tenant.member_enabled'), 1);
  });

  test('TenantMembers_Disable and TenantMembers_Enable require iam.users.write, and an owner if the member is an owner', async () => {
    const { stack, ada, bob, carol, tenantOfAda, add, remove, makeOwner } = suite;
    const [tenant, elsewhere] = [await tenantOfAda(), await tenantFor(stack, carol.id, {})];
    for (const person of [bob, carol]) bodyOf(await add(tenant, person));
    const ask = (operation: string, person: Person, token: string) =>
      stack.call(operation, { Tenant: tenant, UserID: person.id }, token);
    for (const operation of ['TenantMembers_Disable', 'TenantMembers_Enable']) {
      assertRefused(await ask(operation, carol, bob.token), 403, 'permission_denied');
      const stranger = { Tenant: elsewhere, UserID: bob.id };
      assertRefused(await stack.call(operation, stranger, ada.token), 403, 'permission_denied');
      assertRefused(await stack.call(operation, stranger, carol.token), 400, 'not_found');
    }
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant: tenant, UserID: bob.id, Role: 'admin' } },
        ada.token,
      ),
    );
    assertRefused(await disable(tenant, ada, bob.token), 403, 'permission_denied');
    for (const token of [ada.token, stack.platformKey])
      assertRefused(await disable(tenant, ada, token), 400, 'failed_precondition', [
        'the last owner of a tenant cannot be disabled',
      ]);
    await makeOwner(tenant, carol);
    bodyOf(await disable(tenant, carol));
    assertRefused(await enable(tenant, carol, bob.token), 403, 'permission_denied');
    // A disabled owner does not count as another owner.
    assertRefused(await remove(tenant, ada), 400, 'failed_precondition', [
      'the last owner of a tenant cannot be removed',
    ]);
    bodyOf(await enable(tenant, carol));
    const answers = await Promise.all([
      disable(tenant, ada, carol.token),
      disable(tenant, carol, ada.token),
    ]);
    assert.equal(
      answers.filter(({ status }) => status === 200).length,
      1,
      JSON.stringify(answers.map(({ body }) => body)),
    );
    assert.equal(
      await countOf(stack, `access.tenant_member where tenant = $1 and status = 'active'`, [
        tenant,
      ]),
      2,
    );
  });

  test('a member can leave a tenant while disabled, as an owner, and while the tenant is suspended', async () => {
    const { stack, ada, bob, carol, tenantOfAda, add, remove, makeOwner } = suite;
    const tenant = await tenantOfAda();
    for (const person of [bob, carol]) bodyOf(await add(tenant, person));
    await makeOwner(tenant, bob);
    bodyOf(await disable(tenant, bob));
    bodyOf(await remove(tenant, bob, bob.token));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: tenant }, stack.platformKey));
    bodyOf(await remove(tenant, carol, carol.token));
    const members = await rowsOf(
      stack,
      'select user_id as id, status from access.tenant_member where tenant = $1 order by joined_at',
      [tenant],
    );
    assert.deepEqual(members, [
      { id: ada.id, status: 'active' },
      { id: bob.id, status: 'barred' },
    ]);
  });

  test('the last owner of a suspended tenant can leave it, and delete the account', async () => {
    const { stack, carol, add, remove } = suite;
    const [dan, eve] = [await signUp(stack), await signUp(stack)];
    const tenants = [await ownedBy(stack, dan), await ownedBy(stack, eve)];
    const close = (person: Person) =>
      stack.call('Users_Delete', { UserID: person.id }, person.token);
    assertRefused(await close(eve), 400, 'failed_precondition');
    for (const Tenant of tenants)
      bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    bodyOf(await remove(tenants[0] ?? '', dan, dan.token));
    bodyOf(await close(eve));
    for (const Tenant of tenants) {
      const countMembers = () => countOf(stack, 'access.tenant_member where tenant = $1', [Tenant]);
      await eventually('the last member to be gone', async () => (await countMembers()) === 0);
      // The platform decides who owns the tenant next.
      bodyOf(await stack.call('Tenants_Resume', { Tenant }, stack.platformKey));
      bodyOf(await add(Tenant, carol));
      bodyOf(
        await stack.call(
          'Grants_Add',
          { Grant: { Tenant, UserID: carol.id, Role: 'owner' } },
          stack.platformKey,
        ),
      );
    }
  });

  test('a member who left while disabled is in no list of the tenant, has the tenant in no list, and can delete the account', async () => {
    const { stack, ada, bob, tenantOfAda, add, remove, membersOf, makeOwner } = suite;
    const [dan, tenant] = [await signUp(stack), await tenantOfAda()];
    for (const person of [bob, dan]) bodyOf(await add(tenant, person));
    await makeOwner(tenant, dan);
    bodyOf(await disable(tenant, dan));
    for (let again = 0; again < 2; again++) {
      const answer = await remove(tenant, dan, dan.token);
      if (again === 0) bodyOf(answer);
      else assertRefused(answer, 403, 'permission_denied', ['permission denied']);
    }
    const mine = await readList<{ ID: string }>(stack, 'Tenants_ListMine', {}, dan.token);
    assert.deepEqual(mine.items, []);
    const listedTo = async (token: string) =>
      (await membersOf(tenant, 200, token)).items
        .filter(({ UserID }) => UserID === dan.id)
        .map(({ Status }) => Status);
    assert.deepEqual(await listedTo(ada.token), ['disabled']);
    assert.deepEqual(await listedTo(bob.token), []);
    const users = await readList<{ ID: string }>(
      stack,
      'Users_ListByTenant',
      { Tenant: tenant },
      ada.token,
    );
    assert.ok(!users.items.some(({ ID }) => ID === dan.id));
    assertRefused(await stack.call('Users_Get', { UserID: dan.id }, ada.token), 400, 'not_found');
    assert.equal(
      await countOf(stack, 'access.grant_entry where tenant = $1 and subject = $2', [
        tenant,
        dan.id,
      ]),
      0,
    );
    const Grant = { Tenant: tenant, UserID: dan.id, Role: 'member' };
    assertRefused(await stack.call('Grants_Add', { Grant }, ada.token), 400, 'not_found', [
      'tenant member not found',
    ]);
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, ada.token));
    assertRefused(
      await stack.call(
        'Groups_AddMember',
        { Tenant: tenant, Group: 'eng', UserID: dan.id },
        ada.token,
      ),
      400,
      'not_found',
    );
    bodyOf(await stack.call('Users_Delete', { UserID: dan.id }, dan.token));
    await eventually(
      'the membership row to be deleted',
      async () => (await countOf(stack, 'access.tenant_member where user_id = $1', [dan.id])) === 0,
    );
  });

  test('Tokens_Introspect reports a disabled member’s session as inactive in the tenant', async () => {
    const { stack, bob, tenantOfAda, add } = suite;
    const tenant = await tenantOfAda();
    bodyOf(await add(tenant, bob));
    const isActive = async () =>
      bodyOf(
        await stack.call(
          'Tokens_Introspect',
          { Token: bob.token, Tenant: tenant },
          stack.platformKey,
        ),
      )['Active'];
    assert.equal(await isActive(), true);
    bodyOf(await disable(tenant, bob));
    assert.equal(await isActive(), false);
    bodyOf(await enable(tenant, bob));
    assert.equal(await isActive(), true);
  });

  test('a suspended tenant is named to its active members only; others get the answer of a missing tenant', async () => {
    const { stack, ada, bob, carol, tenantOfAda, add } = suite;
    const stranger = await signUp(stack);
    const tenant = await tenantOfAda();
    for (const person of [bob, carol]) bodyOf(await add(tenant, person));
    bodyOf(await add(tenant, stranger, ada.token));
    bodyOf(await disable(tenant, carol));
    bodyOf(await groupsIn(tenant, bob));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: tenant }, stack.platformKey));
    for (const person of [ada, bob])
      assertRefused(await groupsIn(tenant, person), 403, 'permission_denied', [
        'tenant Acme is suspended',
      ]);
    for (const person of [carol, stranger])
      assertRefused(await groupsIn(tenant, person), 403, 'permission_denied', [
        'permission denied',
      ]);
    bodyOf(await stack.call('Tenants_Resume', { Tenant: tenant }, stack.platformKey));
    bodyOf(await groupsIn(tenant, bob));
  });
});
