import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, retryWhileBusy } from '../../support/answers.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { caughtBy, ownedBy, signUp } from '../../support/people.ts';
import { countOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Member, type Members, startMembers } from './member-calls.ts';

describeBoth('tenant members', (topology) => {
  let suite: Members;
  before(async () => {
    suite = await startMembers(topology);
  });
  after(() => suite?.stop());

  test('TenantMembers_Add and TenantMembers_Remove change the list, deliver events to the endpoints, and repeat without an event', async () => {
    const { stack, ada, bob, tenantOfAda, add, remove, membersOf } = suite;
    const tenant = await tenantOfAda();
    const hook = `members-${tenant}`;
    const endpoint = {
      Tenant: tenant,
      Name: 'catcher',
      URL: `${stack.inboxUrl}/hooks/${hook}`,
      EventTypes: ['tenant.*'],
    };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, ada.token));
    const caught = async (type: string) =>
      eventually(`${type} at the catcher`, async () => {
        const events = (await caughtBy(stack, hook)).map(
          ({ Body }) => JSON.parse(Body) as { type: string; data: Member; actor: object },
        );
        return events.find((event) => event.type === type && event.data.UserID === bob.id);
      });

    assert.deepEqual((await add(tenant, bob)).body, {});
    assert.deepEqual((await add(tenant, bob)).body, {});
    const { items } = await membersOf(tenant);
    assert.deepEqual(
      Object.fromEntries(
        items.map(({ UserID, Status, Source }) => [UserID, `${Status} ${Source}`]),
      ),
      {
        [ada.id]: 'active creator',
        [bob.id]: 'active admin',
      },
    );
    const joined = await caught('tenant.member_added');
    assert.deepEqual(
      joined.data,
      items.find(({ UserID }) => UserID === bob.id),
    );
    assert.deepEqual(joined.actor, { type: 'platform', id: 'platform' });
    assert.deepEqual(
      await rowsOf(
        stack,
        'select role from access.grant_entry where tenant = $1 and subject = $2',
        [tenant, bob.id],
      ),
      [{ role: 'member' }],
    );

    assert.deepEqual((await remove(tenant, bob)).body, {});
    assert.deepEqual((await remove(tenant, bob)).body, {});
    await caught('tenant.member_removed');
    assert.deepEqual(
      (await membersOf(tenant)).items.map(({ UserID }) => UserID),
      [ada.id],
    );
    assert.equal(
      await countOf(stack, 'access.grant_entry where tenant = $1 and subject = $2', [
        tenant,
        bob.id,
      ]),
      0,
    );
    const types = await eventTypesOf(stack, 'access', tenant);
    assert.equal(
      types.filter((type) => type === 'tenant.member_added').length,
      2,
      'the creator and Bob',
    );
    assert.equal(types.filter((type) => type === 'tenant.member_removed').length, 1);
  });

  test('TenantMembers_Add called 30 times at once makes one member', async () => {
    const { stack, bob, tenantOfAda, add, countEvents } = suite;
    const tenant = await tenantOfAda();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => retryWhileBusy(() => add(tenant, bob))),
    );
    for (const answer of answers) bodyOf(answer);
    assert.equal(
      await countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [
        tenant,
        bob.id,
      ]),
      1,
    );
    assert.equal(
      await countOf(stack, 'access.grant_entry where tenant = $1 and subject = $2', [
        tenant,
        bob.id,
      ]),
      1,
    );
    assert.equal(await countEvents(tenant, 'tenant.member_added'), 2, 'the creator and Bob');
  });

  test('TenantMembers_Add gives the tenant’s default role, and accepts only existing users', async () => {
    const { stack, ada, bob, tenantOfAda, add } = suite;
    const tenant = await tenantOfAda({ DefaultRole: 'auditor' });
    bodyOf(await add(tenant, bob));
    assert.deepEqual(
      await rowsOf(
        stack,
        'select role from access.grant_entry where tenant = $1 and subject = $2',
        [tenant, bob.id],
      ),
      [{ role: 'auditor' }],
    );
    assertRefused(
      await stack.call(
        'TenantMembers_Add',
        { Tenant: tenant, UserID: 'usr_01hzzzzzzzzzzzzzzzzzzzzzzz' },
        ada.token,
      ),
      400,
      'not_found',
    );
    assertRefused(
      await stack.call('TenantMembers_Add', { Tenant: tenant }, ada.token),
      400,
      'invalid_argument',
      ['UserID is required'],
    );
    assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [tenant]), 2);
  });

  test('TenantMembers_List pages through the members', async () => {
    const { ada, bob, carol, tenantOfAda, add, membersOf } = suite;
    const tenant = await tenantOfAda();
    for (const person of [bob, carol]) bodyOf(await add(tenant, person));
    const { items, sizes } = await membersOf(tenant, 1, bob.token);
    assert.deepEqual(sizes, [1, 1, 1]);
    assert.deepEqual(
      items.map(({ UserID }) => UserID),
      [ada.id, bob.id, carol.id].sort(),
    );
  });

  test('a plain member reads the tenant and changes no member', async () => {
    const { stack, ada, bob, carol, tenantOfAda, add, remove } = suite;
    const tenant = await tenantOfAda();
    bodyOf(await add(tenant, bob));
    for (const operation of ['Tenants_Get', 'TenantMembers_List', 'Groups_List'])
      bodyOf(await stack.call(operation, { Tenant: tenant }, bob.token));
    assertRefused(await add(tenant, carol, bob.token), 403, 'permission_denied');
    assertRefused(await remove(tenant, ada, bob.token), 403, 'permission_denied');
    assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [tenant]), 2);
  });

  test('a removed member has no rights from the next call on', async () => {
    const { stack, ada, bob, tenantOfAda, add, remove, tenantsOf } = suite;
    const tenant = await tenantOfAda();
    bodyOf(await add(tenant, bob));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, ada.token));
    bodyOf(
      await stack.call(
        'Groups_AddMember',
        { Tenant: tenant, Group: 'eng', UserID: bob.id },
        ada.token,
      ),
    );
    assert.ok((await tenantsOf(bob)).includes(tenant));
    const reads = () =>
      Promise.all(
        ['Tenants_Get', 'TenantMembers_List', 'Groups_List', 'Groups_ListByTenant'].map((name) =>
          stack.call(name, { Tenant: tenant }, bob.token),
        ),
      );
    for (const answer of await reads()) bodyOf(answer);

    bodyOf(await remove(tenant, bob));
    for (const answer of await reads()) assertRefused(answer, 403, 'permission_denied');
    assert.ok(!(await tenantsOf(bob)).includes(tenant));
    const groups = await readList<{ Tenant: string }>(
      stack,
      'Groups_ListMemberGroups',
      { UserID: bob.id },
      bob.token,
    );
    assert.ok(!groups.items.some(({ Tenant }) => Tenant === tenant));
    assert.equal(await countOf(stack, 'access.group_member where tenant = $1', [tenant]), 0);

    // A member who returns starts without the former groups.
    bodyOf(await add(tenant, bob));
    for (const answer of await reads()) bodyOf(answer);
    assert.equal(await countOf(stack, 'access.group_member where tenant = $1', [tenant]), 0);
  });

  test('TenantMembers_Remove never removes the last owner, for any caller', async () => {
    const { stack, ada, bob, tenantOfAda, add, remove, countEvents } = suite;
    const tenant = await tenantOfAda();
    bodyOf(await add(tenant, bob));
    for (const token of [ada.token, stack.platformKey]) {
      assertRefused(await remove(tenant, ada, token), 400, 'failed_precondition', [
        'the last owner of a tenant cannot be removed',
      ]);
    }
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'a' } }, ada.token));
    assert.equal(await countEvents(tenant, 'tenant.member_removed'), 0);
  });

  test('a disabled user stays owner: an admin cannot take over the tenant meanwhile', async () => {
    const { stack, bob, add, remove } = suite;
    const dan = await signUp(stack);
    const tenant = await ownedBy(stack, dan, { DefaultRole: 'admin' });
    bodyOf(await add(tenant, bob));
    bodyOf(await stack.call('Users_Disable', { UserID: dan.id }, stack.platformKey));
    assertRefused(await remove(tenant, dan, bob.token), 403, 'permission_denied');
    const Grant = { Tenant: tenant, UserID: dan.id, Role: 'owner' };
    const byThePlatform = [
      await remove(tenant, dan, stack.platformKey),
      await stack.call('Grants_Remove', { Grant }, stack.platformKey),
    ];
    for (const answer of byThePlatform)
      assertRefused(answer, 400, 'failed_precondition', [
        'the last owner of a tenant cannot be removed',
      ]);
  });

  test('every member may leave a tenant, and TenantMembers_Remove does not disclose other tenants', async () => {
    const { ada, bob, tenantOfAda, add, remove, countEvents } = suite;
    const tenant = await tenantOfAda();
    bodyOf(await add(tenant, bob));
    assertRefused(await remove(tenant, ada, bob.token), 403, 'permission_denied');
    bodyOf(await remove(tenant, bob, bob.token));
    for (const nowhere of [tenant, 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz'])
      assertRefused(await remove(nowhere, bob, bob.token), 403, 'permission_denied');
    assert.equal(await countEvents(tenant, 'tenant.member_removed'), 1);
  });

  test('of two owners removed at once, one stays', async () => {
    const { stack, ada, bob, tenantOfAda, add, remove, makeOwner } = suite;
    for (let round = 0; round < 5; round++) {
      const tenant = await tenantOfAda();
      bodyOf(await add(tenant, bob));
      await makeOwner(tenant, bob);
      const answers = await Promise.all(
        [ada, bob].map((owner) => remove(tenant, owner, stack.platformKey)),
      );
      assert.deepEqual(answers.map(({ status }) => `${status}`).sort(), ['200', '400']);
      assert.equal(
        await countOf(stack, `access.grant_entry where tenant = $1 and role = 'owner'`, [tenant]),
        1,
      );
      assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [tenant]), 1);
    }
  });

  test('only an owner removes an owner', async () => {
    const { stack, ada, bob, carol, tenantOfAda, add, remove, membersOf, makeOwner } = suite;
    const tenant = await tenantOfAda({ DefaultRole: 'admin' });
    bodyOf(await add(tenant, bob));
    bodyOf(await add(tenant, carol));
    await makeOwner(tenant, carol);
    for (const owner of [ada, carol])
      assertRefused(await remove(tenant, owner, bob.token), 403, 'permission_denied');
    assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [tenant]), 3);
    bodyOf(await remove(tenant, carol, ada.token));
    bodyOf(await remove(tenant, bob, bob.token));
    assert.deepEqual(
      (await membersOf(tenant)).items.map(({ UserID }) => UserID),
      [ada.id],
    );
  });
});
