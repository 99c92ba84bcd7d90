import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { eventually } from '../../support/harness.ts';
import {
  caughtBy,
  createTenant,
  mailTo,
  ownedBy,
  signUp,
  tenantFor,
} from '../../support/people.ts';
import { countOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Memberships, plain, startMemberships } from './membership-calls.ts';

describe('membership by consent', () => {
  let suite: Memberships;
  before(async () => {
    suite = await startMemberships();
  });
  after(() => suite?.stop());

  test('TenantMembers_Add by an owner asks the user, who becomes a member with TenantMembers_Accept', async () => {
    const { stack, ada, member, add, accept, groupsIn, ownTenant, listed, members } = suite;
    const carol = await signUp(stack);
    const tenant = await tenantFor(stack, ada.id, { DefaultRole: 'auditor' });
    bodyOf(await add(tenant, carol));
    bodyOf(await add(tenant, carol));
    assert.deepEqual(await listed(tenant, carol), [
      { ...member(tenant, carol), Status: 'pending', Source: 'admin' },
    ]);
    assert.equal(await members(tenant, carol), 0);
    const offered = await ownTenant(tenant, carol);
    assert.deepEqual(
      [offered?.Name, offered?.Membership.Status, offered?.Settings['DefaultRole'] ?? ''],
      ['Acme', 'pending', ''],
    );
    const mail = await mailTo(stack, carol.email, 2);
    assert.match(mail.Text, /wants to add your account .+ to Acme on/);
    assert.deepEqual(
      mail.Links.filter((link) => link.includes('token')),
      [],
    );

    bodyOf(await accept(tenant, carol));
    bodyOf(await groupsIn(tenant, carol));
    bodyOf(await accept(tenant, carol));
    assert.deepEqual(
      (await listed(tenant, carol)).map(({ Status, Source, JoinedAt }) => [
        Status,
        Source,
        JoinedAt !== undefined,
      ]),
      [['active', 'admin', true]],
    );
    assert.equal((await ownTenant(tenant, carol))?.Membership.Status, 'active');
    assert.deepEqual(
      await rowsOf(
        stack,
        'select role, created_by from access.grant_entry where tenant = $1 and subject = $2',
        [tenant, carol.id],
      ),
      [{ role: 'auditor', created_by: ada.id }],
    );
    assert.equal(await countOf(stack, 'access.membership_offer where tenant = $1', [tenant]), 0);
    assert.deepEqual((await eventTypesOf(stack, 'access', tenant)).slice(-3), [
      'tenant.member_proposed',
      'tenant.member_added',
      'grant.added',
    ]);
  });

  test('a pending membership gives no rights, appears in no list or event of others, and prepares nothing', async () => {
    const { stack, ada, member, add, accept } = suite;
    const carol = await signUp(stack);
    const home = await createTenant(stack, carol.token);
    const tenant = await tenantFor(stack, ada.id, { SessionIdleMinutes: 1, SessionMaxMinutes: 1 });
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, ada.token));
    bodyOf(await add(tenant, carol));
    const hook = `consent-${tenant}`;
    const watching = {
      Tenant: tenant,
      Name: 'people',
      URL: `${stack.inboxUrl}/hooks/${hook}`,
      EventTypes: ['user.*'],
    };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: watching }, ada.token));
    bodyOf(await stack.call('Account_Update', { User: { Name: 'Before' } }, carol.token));
    for (const operation of [
      'Tenants_Get',
      'Groups_List',
      'TenantMembers_List',
      'Users_ListByTenant',
    ])
      assertRefused(
        await stack.call(operation, { Tenant: tenant }, carol.token),
        403,
        'permission_denied',
        plain,
      );
    // Her only tenant still replaces a missing one, and her session keeps its own limits.
    bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        {
          Endpoint: { Name: 'own', URL: `${stack.inboxUrl}/hooks/consent`, EventTypes: ['role.*'] },
        },
        carol.token,
      ),
    );
    assert.deepEqual(
      (
        bodyOf(await stack.call('Account_Get', {}, carol.token))['Tenants'] as Array<{ ID: string }>
      ).map(({ ID }) => ID),
      [home],
    );
    const [session] = await rowsOf<{ days: number }>(
      stack,
      `select extract(epoch from max(expires_at) - now()) / 86400 as days from identity.session where user_id = $1`,
      [carol.id],
    );
    assert.ok(Number(session?.days) > 6);

    const users = (
      await readList<{ ID: string }>(stack, 'Users_ListByTenant', { Tenant: tenant }, ada.token)
    ).items;
    assert.deepEqual(
      users.map(({ ID }) => ID),
      [ada.id],
    );
    assertRefused(await stack.call('Users_Get', { UserID: carol.id }, ada.token), 400, 'not_found');
    assertRefused(
      await stack.call('Users_GetByEmail', { Email: carol.email }, ada.token),
      400,
      'not_found',
    );
    for (const Role of ['member', 'owner'])
      assertRefused(
        await stack.call('Grants_Add', { Grant: { ...member(tenant, carol), Role } }, ada.token),
        400,
        'not_found',
        ['tenant member not found'],
      );
    assertRefused(
      await stack.call('Groups_AddMember', { ...member(tenant, carol), Group: 'eng' }, ada.token),
      400,
      'not_found',
      ['tenant member not found'],
    );
    for (const operation of ['TenantMembers_Disable', 'TenantMembers_Enable'])
      assertRefused(
        await stack.call(operation, member(tenant, carol), ada.token),
        400,
        'not_found',
        ['tenant member not found'],
      );
    const question = { Tenant: tenant, Subject: carol.id, Permission: 'iam.groups.read' };
    assert.equal(recordIn(await stack.call('Access_Check', question, ada.token), 'Allowed'), false);
    assert.ok(
      String(recordIn(await stack.call('Access_Explain', question, ada.token), 'Missing')).includes(
        'the user is not a member of the tenant',
      ),
    );
    const Changes = [{ Groups_AddMember: { ...member(tenant, carol), Group: 'eng' } }];
    assert.match(
      String(
        recordIn(
          await stack.call('Access_Plan', { Tenant: tenant, Changes }, ada.token),
          'Warnings',
        ),
      ),
      /tenant member not found/,
    );

    bodyOf(await accept(tenant, carol));
    bodyOf(await stack.call('Account_Update', { User: { Name: 'After' } }, carol.token));
    const told = async () =>
      (await caughtBy(stack, hook)).map(
        ({ Body }) => (JSON.parse(Body) as { data: { Name: string } }).data.Name,
      );
    await eventually('the event of a member', async () => (await told()).includes('After'));
    assert.ok(!(await told()).includes('Before'), 'events of a pending member are not delivered');
  });

  test('a user added without consent can still delete the account, and owns nothing through the offer', async () => {
    const { stack, ada, add, accept, remove, listed } = suite;
    const carol = await signUp(stack);
    const tenant = await ownedBy(stack, ada);
    bodyOf(await add(tenant, carol));
    assertRefused(await remove(tenant, ada, ada.token), 400, 'failed_precondition', [
      'the last owner of a tenant cannot be removed',
    ]);
    bodyOf(await stack.call('Users_Delete', { UserID: carol.id }, carol.token));
    await eventually(
      'the offer to be deleted',
      async () =>
        (await countOf(stack, 'access.membership_offer where user_id = $1', [carol.id])) === 0,
    );
    assert.deepEqual(await listed(tenant, carol), []);
    assertRefused(await accept(tenant, carol), 401, 'unauthenticated');
  });

  test('TenantMembers_Accept gives only what the adder may grant at that time', async () => {
    const { stack, ada, bob, member, add, accept, groupsIn, members } = suite;
    const [carol, dan] = [await signUp(stack), await signUp(stack)];
    const tenant = await tenantFor(stack, ada.id);
    bodyOf(await add(tenant, bob, stack.platformKey));
    const Grant = { ...member(tenant, bob), Role: 'admin' };
    bodyOf(await stack.call('Grants_Add', { Grant }, ada.token));
    for (const person of [carol, dan]) bodyOf(await add(tenant, person, bob.token));
    bodyOf(await stack.call('Grants_Remove', { Grant }, ada.token));
    assertRefused(await accept(tenant, carol), 400, 'failed_precondition');
    assert.equal(await members(tenant, carol), 0);
    // With another adder, the offer has that adder's rights.
    bodyOf(await add(tenant, carol));
    bodyOf(await accept(tenant, carol));
    // An addition by the platform, or an invitation, ends every pending offer.
    bodyOf(await add(tenant, dan, stack.platformKey));
    bodyOf(await groupsIn(tenant, dan));
    assert.equal(await countOf(stack, 'access.membership_offer where tenant = $1', [tenant]), 0);
  });

  test('TenantInvitations_Accept ends a pending membership of the same tenant', async () => {
    const { stack, ada, add, listed } = suite;
    const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
    bodyOf(await add(tenant, carol));
    const { Token } = bodyOf(
      await stack.call(
        'TenantInvitations_Create',
        { Tenant: tenant, Email: carol.email },
        ada.token,
      ),
    );
    bodyOf(await stack.call('TenantInvitations_Accept', { Token }, carol.token));
    assert.deepEqual(
      (await listed(tenant, carol)).map(({ Status, Source }) => [Status, Source]),
      [['active', 'invitation']],
    );
    assert.equal(await countOf(stack, 'access.membership_offer where tenant = $1', [tenant]), 0);
  });
});
