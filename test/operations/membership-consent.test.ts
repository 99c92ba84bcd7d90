import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList, recordIn, retryWhileBusy } from '../support/answers.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, mailsTo, mailTo, signUp, tenantFor } from '../support/people.ts';
import { admitter, assertRefusal } from '../support/sso.ts';
import { countOf, eventTypesOf, rowsOf } from '../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Member = { Tenant: string; UserID: string; Status: string; Source: string; JoinedAt?: string };
type OwnTenant = {
  ID: string;
  Name: string;
  Settings: Record<string, unknown>;
  Metadata: object;
  Membership: Member;
};

const plain = ['permission denied'];

describe('membership by consent', () => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_TENANT_GRACE_SECONDS: '2' });
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const member = (Tenant: string, { id }: Person) => ({ Tenant, UserID: id });
  const add = (tenant: string, person: Person, token = ada.token) =>
    stack.call('TenantMembers_Add', member(tenant, person), token);
  const accept = (Tenant: string, { token }: Person) =>
    stack.call('TenantMembers_Accept', { Tenant }, token);
  const decline = (Tenant: string, { token }: Person) =>
    stack.call('TenantMembers_Decline', { Tenant }, token);
  const remove = (tenant: string, person: Person, token = ada.token) =>
    stack.call('TenantMembers_Remove', member(tenant, person), token);
  const groupsIn = (Tenant: string, { token }: Person) =>
    stack.call('Groups_List', { Tenant }, token);
  const ownTenant = async (tenant: string, { token }: Person) =>
    (await readList<OwnTenant>(stack, 'Tenants_ListMine', {}, token)).items.find(
      ({ ID }) => ID === tenant,
    );
  const listed = async (tenant: string, { id }: Person, token = ada.token) =>
    (await readList<Member>(stack, 'TenantMembers_List', { Tenant: tenant }, token)).items.filter(
      ({ UserID }) => UserID === id,
    );
  const members = (tenant: string, { id }: Person) =>
    countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [tenant, id]);
  const countEvents = async (tenant: string, type: string) =>
    (await eventTypesOf(stack, 'access', tenant)).filter((found) => found === type).length;

  test('TenantMembers_Add by an owner asks the user, who becomes a member with TenantMembers_Accept', async () => {
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
    const about = { Tenant: tenant, Subject: carol.id, Permission: 'iam.groups.read' };
    assert.equal(recordIn(await stack.call('Access_Check', about, ada.token), 'Allowed'), false);
    assert.ok(
      String(recordIn(await stack.call('Access_Explain', about, ada.token), 'Missing')).includes(
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
    const carol = await signUp(stack);
    const tenant = await tenantFor(stack, ada.id);
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

  test('TenantMembers_Decline is final: the tenant cannot ask again, by adding or by withdrawing and adding', async () => {
    const [carol, dan] = [await signUp(stack), await signUp(stack)];
    const tenant = await tenantFor(stack, ada.id);
    for (const person of [carol, dan]) bodyOf(await add(tenant, person));
    bodyOf(await decline(tenant, carol));
    bodyOf(await decline(tenant, carol));
    assertRefused(await accept(tenant, carol), 403, 'permission_denied', plain);
    for (let again = 0; again < 3; again++) {
      bodyOf(await remove(tenant, carol));
      bodyOf(await add(tenant, carol));
    }
    assert.equal(await ownTenant(tenant, carol), undefined);
    assert.deepEqual(await listed(tenant, carol), []);
    for (let again = 0; again < 3; again++) {
      bodyOf(await remove(tenant, dan));
      bodyOf(await remove(tenant, dan));
      bodyOf(await add(tenant, dan));
    }
    assert.equal((await ownTenant(tenant, dan))?.Membership.Status, 'pending');
    assert.equal(await countEvents(tenant, 'tenant.member_declined'), 1);
    assert.equal(await countEvents(tenant, 'tenant.member_withdrawn'), 3);
    assert.equal(await countEvents(tenant, 'tenant.member_proposed'), 5);
    await mailTo(stack, bob.email);
    const tasks = `access.outbox where tasks::text like '%membership_pending%' and tasks::text like $1`;
    for (const { email } of [carol, dan]) {
      assert.equal(await countOf(stack, tasks, [`%${email}%`]), 1);
      await eventually(
        'one mail about the offer',
        async () => (await mailsTo(stack, email)).length === 2,
      );
    }
    // After 30 days the tenant may ask again.
    await rowsOf(
      stack,
      `update access.membership_offer set updated_at = now() - interval '31 days' where user_id = $1`,
      [carol.id],
    );
    bodyOf(await add(tenant, carol));
    assert.equal((await ownTenant(tenant, carol))?.Membership.Status, 'pending');
    // Leaving counts as declining.
    bodyOf(await remove(tenant, carol, carol.token));
    assertRefused(await accept(tenant, carol), 403, 'permission_denied', plain);
  });

  test('a caller who was not added cannot accept, decline or learn that the tenant exists', async () => {
    const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
    bodyOf(await add(tenant, bob));
    for (const Tenant of [tenant, 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz']) {
      for (const ask of [accept, decline])
        assertRefused(await ask(Tenant, carol), 403, 'permission_denied', plain);
      assertRefused(await remove(Tenant, carol, carol.token), 403, 'permission_denied', plain);
    }
    // A caller cannot accept for another user: the body names no user, and a bot or the platform is
    // not a user.
    assertRefused(
      await stack.call('TenantMembers_Accept', { Tenant: tenant }, stack.platformKey),
      403,
      'permission_denied',
    );
    assert.equal(await members(tenant, bob), 0);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: tenant }, stack.platformKey));
    assertRefused(await accept(tenant, bob), 403, 'permission_denied', plain);
    bodyOf(await decline(tenant, bob));
  });

  test('TenantMembers_Accept gives only what the adder may grant at that time', async () => {
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

  test('concurrent calls: Add asks once, Accept makes one member, and Accept and Decline never both succeed', async () => {
    for (let round = 0; round < 3; round++) {
      const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
      for (const answer of await Promise.all(
        Array.from({ length: 20 }, () => retryWhileBusy(() => add(tenant, carol))),
      ))
        bodyOf(answer);
      assert.equal(await countEvents(tenant, 'tenant.member_proposed'), 1);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          retryWhileBusy(() => (index % 5 === 4 ? decline : accept)(tenant, carol)),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 403]));
      const added = await countEvents(tenant, 'tenant.member_added');
      assert.equal(await countEvents(tenant, 'tenant.member_declined'), added === 2 ? 0 : 1);
      assert.equal(await members(tenant, carol), added - 1);
    }
  });

  const refused = async (call: Promise<{ status: number }>) =>
    assert.notEqual((await call).status, 200);

  test('a disabled member who has left can return only with an administrator’s consent', async () => {
    const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
    const use = admitter(stack);
    try {
      const { Token } = bodyOf(
        await stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: carol.email },
          ada.token,
        ),
      );
      bodyOf(
        await stack.call(
          'Grants_Add',
          { Grant: { UserID: carol.id, Role: 'platform-support', Platform: true } },
          stack.platformKey,
        ),
      );
      const leaveDisabled = async () => {
        bodyOf(await stack.call('TenantMembers_Disable', member(tenant, carol), ada.token));
        bodyOf(await remove(tenant, carol, carol.token));
      };
      const assertStaysOut = async (status = 'barred') => {
        await assertRefusal(use.join(tenant, carol), 'permission_denied', 'NO_MEMBER');
        await assertRefusal(
          use.join(tenant, carol, { provider: '' }),
          'permission_denied',
          'NO_MEMBER',
        );
        await refused(stack.call('TenantInvitations_Accept', { Token }, carol.token));
        for (const ask of [accept, decline])
          assertRefused(await ask(tenant, carol), 403, 'permission_denied', plain);
        for (const answer of [await groupsIn(tenant, carol), await add(tenant, carol, carol.token)])
          assertRefused(answer, 403, 'permission_denied', plain);
        const [row] = await rowsOf(
          stack,
          'select status from access.tenant_member where tenant = $1 and user_id = $2',
          [tenant, carol.id],
        );
        assert.deepEqual(row, { status });
        assert.equal(
          await countOf(stack, 'access.grant_entry where tenant = $1 and subject = $2', [
            tenant,
            carol.id,
          ]),
          0,
        );
      };
      bodyOf(await add(tenant, carol, stack.platformKey));
      await leaveDisabled();
      await assertStaysOut();

      // A member who may invite, but not add members, cannot let her return.
      bodyOf(await add(tenant, bob, stack.platformKey));
      bodyOf(
        await stack.call(
          'Roles_Save',
          { Role: { Tenant: tenant, Slug: 'inviter', Permissions: ['iam.invitations.*'] } },
          ada.token,
        ),
      );
      bodyOf(
        await stack.call(
          'Grants_Add',
          { Grant: { ...member(tenant, bob), Role: 'inviter' } },
          ada.token,
        ),
      );
      const invite = (token: string) =>
        stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: carol.email, Roles: ['inviter'] },
          token,
        );
      assertRefused(await invite(bob.token), 400, 'already_exists');
      await assertStaysOut();

      // Enabling does not make her a member without her consent; it lets her return.
      bodyOf(await stack.call('TenantMembers_Enable', member(tenant, carol), ada.token));
      assert.equal(await members(tenant, carol), 0);
      assert.equal((await use.join(tenant, carol)).joined, true);
      await leaveDisabled();
      await assertStaysOut();

      bodyOf(await add(tenant, carol));
      assert.equal((await ownTenant(tenant, carol))?.Membership.Status, 'pending');
      bodyOf(await accept(tenant, carol));
      bodyOf(await groupsIn(tenant, carol));
      await leaveDisabled();
      await assertStaysOut();

      const renewed = bodyOf(
        await stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: carol.email },
          ada.token,
        ),
      )['Token'];
      bodyOf(await stack.call('TenantInvitations_Accept', { Token: renewed }, carol.token));
      bodyOf(await groupsIn(tenant, carol));
      await leaveDisabled();
      await refused(stack.call('TenantInvitations_Accept', { Token: renewed }, carol.token));
    } finally {
      await use.close();
    }
  });

  test('an offer ends with the membership, and with the tenant', async () => {
    const [carol, dan, eve, tenant] = [
      await signUp(stack),
      await signUp(stack),
      await signUp(stack),
      await tenantFor(stack, ada.id),
    ];
    for (const person of [carol, dan, eve]) bodyOf(await add(tenant, person));
    // The previous version makes members like this: it does not know offers.
    const text = `insert into access.tenant_member (tenant, user_id, status, source, joined_at) values ($1, $2, 'active', 'sso', now())`;
    for (const { id } of [carol, eve]) await rowsOf(stack, text, [tenant, id]);
    bodyOf(await remove(tenant, carol));
    assertRefused(await accept(tenant, carol), 403, 'permission_denied', plain);
    // The previous version purges a tenant like this.
    await rowsOf(stack, 'update access.membership_offer set tenant = $1 where user_id = $2', [
      createId('tnt'),
      dan.id,
    ]);
    const left = () =>
      countOf(stack, 'access.membership_offer where tenant = $1 or user_id = $2', [tenant, dan.id]);
    await eventually('the offers to be deleted', async () => (await left()) === 0);
  });
});
