import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { createBot, grantBotInStore } from '../../support/bots.ts';
import { eventually, type Stack } from '../../support/harness.ts';
import { inviter, type Person } from '../../support/invitations.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { admissionAs, admitter, assertRefusal } from '../../support/sso.ts';
import { countOf, eventsOf, rowsOf } from '../../support/store.ts';

// The calls of sso to access. In one process only Bailiwick's own services can make them, so these
// tests run with five processes.

describe('Admission', () => {
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

  test('Admission_Join makes a member with the given roles, once', async () => {
    const Tenant = await invite.tenantOf(ada);
    await saveRole(Tenant, 'editor');
    const before = (await use.eventTypes(Tenant)).length;
    const answer = await use.join(Tenant, bob, { defaultRoles: ['editor', 'auditor', 'gone'] });
    assert.deepEqual([answer.joined, answer.missing], [true, []]);
    assert.deepEqual(
      await use.grantsOf(Tenant, bob),
      ['auditor', 'editor'].map((role) => ({ role, by: use.provider })),
    );
    const [member] = (
      await readList<{ UserID: string; Source: string; Status: string }>(
        stack,
        'TenantMembers_List',
        { Tenant },
        ada.token,
      )
    ).items.filter(({ UserID }) => UserID === bob.id);
    assert.deepEqual([member?.Source, member?.Status], ['sso', 'active']);
    assert.deepEqual((await use.eventTypes(Tenant)).slice(before), [
      'tenant.member_added',
      'grant.added',
      'grant.added',
    ]);
    assert.equal(
      (await use.join(Tenant, bob, { defaultRoles: ['admin'], mayJoin: false })).joined,
      false,
    );
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['auditor', 'editor']);
    assert.equal((await use.eventTypes(Tenant)).length, before + 3);
  });

  test("Admission_Join gives the tenant's default role if no valid role is named, and member if it has none", async () => {
    const plain = await invite.tenantOf(ada);
    await use.join(plain, bob, { provider: '' });
    assert.deepEqual(await use.grantsOf(plain, bob), [{ role: 'member', by: 'sso' }]);
    const Tenant = await invite.tenantOf(ada);
    await saveRole(Tenant, 'guest');
    await act('Tenants_Update', {
      Tenant: { ID: Tenant, Name: 'Acme', Settings: { DefaultRole: 'guest' } },
    });
    await use.join(Tenant, bob, { defaultRoles: ['gone'] });
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['guest']);
  });

  test('Admission_Join refuses a user who must not join, says why, and changes nothing', async () => {
    const Tenant = await invite.tenantOf(ada);
    await assertRefusal(
      use.join(Tenant, bob, { mayJoin: false }),
      'permission_denied',
      'NO_MEMBER',
    );
    await assertRefusal(use.join(createId('tnt'), bob), 'permission_denied', 'NO_MEMBER');
    await assertRefusal(
      use.join(Tenant, { id: createId('usr') }),
      'permission_denied',
      'ACCOUNT_DISABLED',
    );
    const [disabled, leaving] = await Promise.all([signUp(stack), signUp(stack)]);
    bodyOf(await stack.call('Users_Disable', { UserID: disabled.id }, stack.platformKey));
    await assertRefusal(use.join(Tenant, disabled), 'permission_denied', 'ACCOUNT_DISABLED');
    // Access has received the user's state before identity's record shows it.
    for (const state of ['disabled', 'deleted']) {
      await rowsOf(
        stack,
        `insert into access.subject_state (subject, state, since, changed_at) values ($1, $2, now(), now()) on conflict (subject) do update set state = $2`,
        [leaving.id, state],
      );
      await assertRefusal(use.join(Tenant, leaving), 'permission_denied', 'ACCOUNT_DISABLED');
    }
    assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [Tenant]), 1);

    await use.join(Tenant, bob);
    await rowsOf(
      stack,
      `update access.tenant_member set status = 'disabled' where tenant = $1 and user_id = $2`,
      [Tenant, bob.id],
    );
    await assertRefusal(
      use.join(Tenant, bob, { roles: ['auditor'] }),
      'permission_denied',
      'NO_MEMBER',
    );
    await rowsOf(
      stack,
      `update access.tenant_member set status = 'active' where tenant = $1 and user_id = $2`,
      [Tenant, bob.id],
    );
    for (const close of ['Tenants_Suspend', 'Tenants_Delete']) {
      bodyOf(await stack.call(close, { Tenant }, stack.platformKey));
      await assertRefusal(
        use.join(Tenant, bob, { roles: ['auditor'] }),
        'permission_denied',
        'NO_MEMBER',
      );
    }
    assert.deepEqual((await use.rolesAndGroupsOf(Tenant, bob)).roles, ['member']);
  });

  test('Admission operations are open to sso only', async () => {
    const Tenant = await invite.tenantOf(ada);
    for (const service of ['gateway', 'identity', 'notifications', 'access'] as const) {
      const other = admissionAs(stack, service);
      await assertRefusal(
        other.join({ tenant: Tenant, userId: bob.id, mayJoin: true }),
        'permission_denied',
      );
      await assertRefusal(
        other.mayConfer({ principalType: 'platform', tenant: Tenant }),
        'permission_denied',
      );
      await assertRefusal(
        other.liftSso({ tenant: Tenant, until: timestampFromDate(new Date()) }),
        'permission_denied',
      );
      await other.close();
    }
    assert.equal(
      (await stack.call('Admission_Join', { Tenant, UserID: bob.id }, stack.platformKey)).status,
      404,
    );
  });

  test('audit entries of Admission_Join name sso and the client’s address, and the chain verifies', async () => {
    const Tenant = await invite.tenantOf(ada);
    await use.join(Tenant, bob, { roles: ['auditor'] });
    type Entry = {
      Action: string;
      ActorType: string;
      ActorID: string;
      IP: string;
      UserAgent: string;
      Operation: string;
      Result: string;
    };
    const entries = await eventually('the entries', async () => {
      const { items } = await readList<Entry>(stack, 'Audit_List', { Tenant }, ada.token);
      const joined = items.filter(({ ActorID }) => ActorID === 'sso');
      return joined.length === 3 && joined;
    });
    assert.deepEqual(entries.map(({ Action }) => Action).sort(), [
      'grant.added',
      'grant.added',
      'tenant.member_added',
    ]);
    for (const { ActorType, IP, UserAgent, Operation, Result } of entries)
      assert.deepEqual(
        [ActorType, IP, UserAgent, Operation, Result],
        ['system', '203.0.113.9', 'Browser/1', 'Admission_Join', 'success'],
      );
    assert.equal(bodyOf(await stack.call('Audit_Verify', { Tenant }, ada.token))['Valid'], true);
    const [event] = (await eventsOf(stack, 'access', Tenant)).filter(
      ({ type, data }) => type === 'tenant.member_added' && data['UserID'] === bob.id,
    );
    assert.deepEqual(event?.actor, { type: 'system', id: 'sso' });
  });

  test('Admission_MayConfer returns the permissions that a principal lacks to grant roles and groups', async () => {
    const Tenant = await invite.tenantOf(ada);
    await invite.add(Tenant, bob, ada, 'admin');
    await act('Roles_Save', {
      Role: { Tenant, Slug: 'deleter', Permissions: ['iam.tenant.delete'] },
    });
    for (const path of ['top', 'top/low', 'plain']) await saveGroup(Tenant, path);
    const ask = async (
      principal: object,
      rights: { roles?: string[]; groups?: string[] },
      tenant = Tenant,
    ) => (await use.sso.mayConfer({ tenant, ...principal, ...rights })).lacking;
    const admin = { principalType: 'user', principalId: bob.id };
    const owner = { principalType: 'user', principalId: ada.id };
    assert.equal(
      await ask(admin, { roles: ['member', 'admin'], groups: ['top/low', 'plain'] }),
      '',
    );
    assert.equal(await ask(admin, { roles: ['owner'] }), 'iam.*');
    assert.equal(await ask(admin, { roles: ['member', 'deleter'] }), 'iam.tenant.delete');
    // A group includes the grants of its ancestors until they expire.
    const ExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await act('GroupGrants_Add', { Grant: { Tenant, Group: 'top', Role: 'owner', ExpiresAt } });
    for (const group of ['top', '/TOP/low'])
      assert.equal(await ask(admin, { groups: [group] }), 'iam.*');
    assert.equal(await ask(admin, { groups: ['plain'] }), '');
    for (const principal of [owner, { principalType: 'platform', principalId: 'platform' }])
      assert.equal(await ask(principal, { roles: ['owner', 'deleter'], groups: ['top/low'] }), '');
    await rowsOf(
      stack,
      `update access.grant_entry set expires_at = now() - interval '1 second' where tenant = $1 and subject_type = 'group'`,
      [Tenant],
    );
    assert.equal(await ask(admin, { groups: ['top/low'] }), '');

    const bot = await createBot(stack, Tenant, ada.token);
    await grantBotInStore(stack, bot, 'owner');
    const asBot = { principalType: 'bot', principalId: bot.ID, principalBotTenant: Tenant };
    assert.equal(await ask(asBot, { roles: ['owner'] }), '');
    assert.notEqual(
      await ask({ ...asBot, principalNarrowedTo: ['iam.sso.*'] }, { roles: ['member'] }),
      '',
    );

    for (const rights of [{ roles: ['member', 'missing'] }, { groups: ['nowhere'] }])
      await assertRefusal(ask(owner, rights), 'not_found');
    const foreign = await invite.tenantOf(bob);
    for (const principal of [
      owner,
      asBot,
      { principalType: 'service', principalId: 'sso' },
      { principalType: 'user', principalId: createId('usr') },
    ])
      assert.notEqual(await ask(principal, { roles: ['member'] }, foreign), '');
    await assertRefusal(
      ask({ principalType: 'user', principalId: bob.id }, { roles: ['deleter'] }, foreign),
      'not_found',
    );
    await assertRefusal(
      ask({ principalType: 'user', principalId: bob.id }, { groups: ['top'] }, foreign),
      'not_found',
    );
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    assert.notEqual(await ask(owner, { roles: ['member'] }), '');
  });

  test('Admission_LiftSso lets owners act without single sign-on, from the answer until it expires or ends', async () => {
    const Tenant = await invite.tenantOf(ada);
    await invite.add(Tenant, bob, ada, 'admin');
    bodyOf(
      await stack.call(
        'Tenants_Update',
        { Tenant: { ID: Tenant, Name: 'Acme', Settings: { RequireSso: true } } },
        stack.platformKey,
      ),
    );
    const groups = ({ token }: Person) => stack.call('Groups_List', { Tenant }, token);
    const lift = (ms: number) =>
      use.sso.liftSso({ tenant: Tenant, until: timestampFromDate(new Date(Date.now() + ms)) });
    const events = await use.eventTypes(Tenant);
    for (let round = 0; round < 2; round++) {
      for (const person of [ada, bob])
        assertRefused(await groups(person), 403, 'permission_denied', [
          'this organisation requires single sign-on',
        ]);
      await lift(600_000);
      bodyOf(await groups(ada));
      assertRefused(await groups(bob), 403, 'permission_denied');
      await lift(-1);
    }
    assertRefused(await groups(ada), 403, 'permission_denied');
    const until = timestampFromDate(new Date(Date.now() + 600_000));
    await Promise.all(Array.from({ length: 20 }, () => use.sso.liftSso({ tenant: Tenant, until })));
    bodyOf(await groups(ada));
    assert.deepEqual(await use.eventTypes(Tenant), events);
    await assertRefusal(use.sso.liftSso({ tenant: createId('tnt'), until }), 'permission_denied');
    await assertRefusal(use.sso.liftSso({ tenant: Tenant }), 'invalid_argument');
    // Mappings still apply, and a lifted tenant is still closed to disabled members.
    await rowsOf(
      stack,
      `update access.tenant_member set status = 'disabled' where tenant = $1 and user_id = $2`,
      [Tenant, ada.id],
    );
    await lift(700_000);
    assertRefused(await groups(ada), 403, 'permission_denied', ['permission denied']);
  });
});
