import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne } from '../support/harness.ts';
import { createHome } from './home.ts';
import { account, type Providers, startProviders } from './stage.ts';
import { createUnconfirmed } from './unconfirmed.ts';

// The author of a change of a provider can sign in as its people. A change by a caller who may not grant
// everything holds no more than this caller may grant, until it is confirmed.

const unconfirmed = /is not confirmed/;

describeOne('unconfirmed providers', 'one process', (topology) => {
  let providers: Providers;
  before(async () => {
    providers = await startProviders(topology);
  });
  after(() => providers?.stop());
  const suite = createUnconfirmed(() => providers);
  const { stack, call, newHome, newMember, newBot } = suite;
  const { save, connect, read, enter, confirm, holds, isActive } = suite;

  test('an administrator who signs in as the owner through an own identity provider holds no more than before', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const provider = await connect(home, admin.token);
    assert.equal(provider.Unconfirmed, true);
    assert.deepEqual([provider.SavedBy, provider.ConfirmedBy], [admin.id, '']);
    const session = await enter(provider, 'mallory', owner.email);
    assert.equal((await account(stack(), session)).User.ID, owner.id);

    const Grant = { Tenant, UserID: admin.id, Role: 'owner' };
    const refused: Array<[string, object]> = [
      ['Grants_Add', { Grant }],
      ['Tenants_Delete', { Tenant }],
      ['Roles_Save', { Role: { Tenant, Slug: 'all', Permissions: ['iam.*'] } }],
      ['Roles_Save', { Role: { Tenant, Slug: 'app', Permissions: ['billing.*'] } }],
      ['Grants_Remove', { Grant: { ...Grant, UserID: owner.id } }],
      ['Account_ChangePassword', { Current: 'x', Password: 'another horse battery' }],
      ['Users_Delete', { UserID: owner.id }],
      ['Sessions_RevokeAll', {}],
      ['Sso_ConfirmProvider', { Tenant, ID: provider.ID, IfUpdatedAt: provider.UpdatedAt }],
    ];
    for (const [operation, request] of refused) {
      const answer = await call(operation, request, session);
      assert.deepEqual([answer.status, answer.body['Code']], [403, 'permission_denied'], operation);
    }
    assert.match(
      String((await call('Tenants_Delete', { Tenant }, session)).body['Message']),
      unconfirmed,
    );
    assert.match(
      String((await call('Sessions_RevokeAll', {}, session)).body['Message']),
      unconfirmed,
    );
    assert.equal(await holds(Tenant, 'iam.tenant.delete', session), false);
    assert.equal(await holds(Tenant, 'billing.pay', session), false);
    assert.equal(
      await holds(Tenant, 'iam.users.write', session),
      true,
      'the administrator holds it',
    );
    // An application would ask for the rights of the user, not of the session.
    assert.equal(await isActive(session, Tenant), false);

    assertRefused(await confirm(provider, admin.token), 403, 'permission_denied');
    const confirmed = bodyOf(await confirm(provider, owner.token))['Provider'] as typeof provider;
    assert.equal(confirmed.Unconfirmed, false);
    assert.equal(confirmed.ConfirmedBy, owner.id);
    assert.equal(
      (await call('Account_Get', {}, session)).status,
      401,
      'the confirmation ends the sessions before it',
    );
    const own = await enter(provider, 'the owner', owner.email);
    assert.equal(await holds(Tenant, 'iam.tenant.delete', own), true);
    assert.equal(await isActive(own, Tenant), true);
  });

  test('a member holds all own rights through an unconfirmed provider, in the tenant and in its applications', async () => {
    const home = await newHome();
    const { tenant: Tenant } = home;
    const admin = await newMember(home, 'admin');
    const member = await newMember(home, 'auditor');
    const provider = await connect(home, admin.token);
    const session = await enter(provider, 'bob', member.email);
    assert.equal(await holds(Tenant, 'iam.audit.read', session), true);
    bodyOf(await call('Tenants_Get', { Tenant }, session));
    assert.equal(await isActive(session, Tenant), true);
  });

  test('a change of a confirmed provider limits the sessions after it, and none before it', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const provider = await connect(home, owner.token);
    assert.deepEqual([provider.Unconfirmed, provider.ConfirmedBy], [false, owner.id]);
    const before = await enter(provider, 'the owner', owner.email);
    const { ID } = provider;
    // A name, and who becomes a member, identify no one.
    for (const fields of [{ Name: 'Our staff' }, { Jit: false }, { Active: true }])
      bodyOf(await save(Tenant, { ID, Name: 'Our staff', ...fields }, admin.token));
    assert.equal((await read(provider)).Unconfirmed, false);

    bodyOf(await save(Tenant, { ID, AttributeMap: { Email: 'mail' } }, admin.token));
    bodyOf(await save(Tenant, { ID, AttributeMap: {} }, admin.token));
    assert.equal((await read(provider)).Unconfirmed, true);
    assert.equal(await holds(Tenant, 'iam.tenant.delete', before), true);
    const session = await enter(provider, 'the owner', owner.email);
    assert.equal(await holds(Tenant, 'iam.tenant.delete', session), false);

    // The owner need not sign in another way.
    bodyOf(await confirm(provider, before));
    assert.equal((await read(provider)).Unconfirmed, false);
    assert.equal((await call('Account_Get', {}, before)).status, 200);
    assert.equal((await call('Account_Get', {}, session)).status, 401);
  });

  test('a link that was made through an unconfirmed provider ends with the confirmation', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const provider = await connect(home, owner.token);
    const { ID } = provider;
    // The administrator's own subject gets the owner's address for one sign-in only.
    bodyOf(await save(Tenant, { ID, AttributeMap: { GivenName: 'nick' } }, admin.token));
    await enter(provider, 'mallory', owner.email);
    bodyOf(await save(Tenant, { ID, AttributeMap: {} }, admin.token));
    bodyOf(await confirm(provider, owner.token));
    const own = await enter(provider, 'the owner', owner.email);
    assert.equal((await account(stack(), own)).User.ID, owner.id);
    const session = await enter(provider, 'mallory', admin.email);
    assert.equal((await account(stack(), session)).User.ID, admin.id);
  });

  test('the sessions of an unconfirmed provider follow the rights of the caller who changed it', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const provider = await connect(home, admin.token);
    const session = await enter(provider, 'mallory', owner.email);
    assert.equal(await holds(Tenant, 'iam.users.read', session), true);
    const invitations = () => call('TenantInvitations_List', { Tenant }, session);
    bodyOf(await invitations());
    const Grant = { Tenant, UserID: admin.id, Role: 'admin' };
    bodyOf(await call('Grants_Remove', { Grant }, owner.token));
    const refused = await invitations();
    assertRefused(refused, 403, 'permission_denied');
    assert.match(String(refused.body['Message']), unconfirmed);
    bodyOf(await call('Grants_Add', { Grant: { ...Grant, Role: 'auditor' } }, owner.token));
    bodyOf(await invitations());
    assert.equal(await holds(Tenant, 'iam.users.write', session), false);
    bodyOf(await call('TenantMembers_Disable', { Tenant, UserID: admin.id }, owner.token));
    assert.equal(await holds(Tenant, 'iam.users.read', session), false);
  });

  test('a session of an unconfirmed provider confirms nothing by saving again, and passes on no more than it holds', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const clerk = await newMember(home, [
      'iam.sso.*',
      'iam.users.read',
      'iam.tenant.read',
      'iam.groups.read',
      'iam.roles.read',
    ]);
    const provider = await connect(home, clerk.token);
    const { ID } = provider;
    const session = await enter(provider, 'mallory', owner.email);
    bodyOf(await save(Tenant, { ID, AttributeMap: { Name: 'nick' } }, session));
    const saved = await read(provider);
    assert.deepEqual([saved.Unconfirmed, saved.SavedBy], [true, owner.id]);
    const again = await enter(provider, 'mallory', owner.email);
    assert.equal(
      await holds(Tenant, 'iam.users.write', again),
      false,
      'only the clerk answers for it',
    );
    assert.equal(await holds(Tenant, 'iam.users.read', again), true);
    // A save by a caller with more rights ends the sessions that were opened before.
    bodyOf(await save(Tenant, { ID, AttributeMap: { Name: 'name' } }, admin.token));
    assert.equal((await call('Account_Get', {}, again)).status, 401);
  });

  test('each author of an unconfirmed provider limits its sessions, unless a save names the version', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const clerk = await newMember(home, ['iam.sso.*', 'iam.users.read', 'iam.tenant.read']);
    const provider = await connect(home, clerk.token);
    const { ID } = provider;
    const first = { ID, AttributeMap: { Name: 'nick' } };
    bodyOf(await save(Tenant, first, admin.token));
    const joined = await enter(provider, 'mallory', owner.email);
    assert.equal(await holds(Tenant, 'iam.users.read', joined), true);
    assert.equal(await holds(Tenant, 'iam.users.write', joined), false, 'the clerk lacks it');
    const { UpdatedAt: IfUpdatedAt } = await read(provider);
    const second = { ID, AttributeMap: { Name: 'name' } };
    bodyOf(await save(Tenant, second, admin.token, { IfUpdatedAt }));
    assert.equal((await call('Account_Get', {}, joined)).status, 401);
    const session = await enter(provider, 'mallory', owner.email);
    assert.equal(await holds(Tenant, 'iam.users.write', session), true);
    assert.equal(await holds(Tenant, 'iam.tenant.delete', session), false);
  });

  test('only a lasting right to grant everything confirms a provider', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const ExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const temporary = await newMember(home, 'owner', { ExpiresAt });
    const almost = await newMember(home, ['iam.*']);
    const provider = await connect(home, admin.token);
    assertRefused(await confirm(provider, almost.token), 403, 'permission_denied');
    // A role with iam.* makes no owner, and no owner's session through its provider does.
    const theirs = await connect(home, almost.token, { ClientID: 'theirs' });
    const asOwner = await enter(theirs, 'mallory', owner.email);
    assert.equal(await holds(Tenant, 'iam.tenant.delete', asOwner), true);
    assertRefused(
      await call('Grants_Add', { Grant: { Tenant, UserID: admin.id, Role: 'owner' } }, asOwner),
      403,
      'permission_denied',
    );
    const refusal = await confirm(provider, temporary.token);
    assertRefused(refusal, 403, 'permission_denied');
    assert.match(String(refusal.body['Message']), new RegExp(ExpiresAt));
    assertRefused(await confirm(provider, await newBot(home, 'admin')), 403, 'permission_denied');
    const narrowed = await newBot(home, 'owner', { Permissions: ['iam.sso.write'] });
    assertRefused(await confirm(provider, narrowed), 403, 'permission_denied');
    assertRefused(
      await confirm(provider, owner.token, { IfUpdatedAt: '2020-01-01T00:00:00Z' }),
      400,
      'failed_precondition',
    );
    const { ID, UpdatedAt } = provider;
    const change = { ID, AttributeMap: { Name: 'nick' } };
    bodyOf(await save(Tenant, change, temporary.token, { IfUpdatedAt: UpdatedAt }));
    assert.equal((await read(provider)).Unconfirmed, true);
    const session = await enter(provider, 'x', owner.email);
    assert.equal(await holds(Tenant, 'iam.tenant.delete', session), true, 'until the right ends');
    bodyOf(await confirm(provider, await newBot(home, 'owner')));
    assert.equal((await read(provider)).Unconfirmed, false);

    const other = await createHome(stack());
    const others = await connect(other, other.owner.token);
    assertRefused(await confirm(others, owner.token), 403, 'permission_denied');
    const { UpdatedAt: IfUpdatedAt } = others;
    assertRefused(
      await confirm({ ...others, Tenant }, owner.token, { IfUpdatedAt }),
      400,
      'not_found',
    );
    bodyOf(await confirm(others, stack().platformKey));
  });

  test('an owner confirms only the version of a changed provider that the call names', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const provider = await connect(home, admin.token);
    const { ID } = provider;
    const session = await enter(provider, 'mallory', owner.email);
    bodyOf(await save(Tenant, { ID, AttributeMap: { Name: 'nick' } }, owner.token));
    const saved = await read(provider);
    assert.deepEqual([saved.Unconfirmed, saved.SavedBy], [true, admin.id]);
    assert.deepEqual(saved.AttributeMap, { Name: 'nick' });
    for (const token of [session, await enter(provider, 'mallory', owner.email)])
      assert.equal(await holds(Tenant, 'iam.tenant.delete', token), false);

    const refused = await confirm(provider, owner.token, {});
    assertRefused(refused, 400, 'invalid_argument');
    assert.match(String(refused.body['Message']), /IfUpdatedAt is required/);
    const { UpdatedAt: IfUpdatedAt } = saved;
    const change = { ID, AttributeMap: { Name: 'name' } };
    bodyOf(await save(Tenant, change, owner.token, { IfUpdatedAt }));
    const confirmed = await read(provider);
    assert.deepEqual([confirmed.Unconfirmed, confirmed.ConfirmedBy], [false, owner.id]);
    assert.equal((await call('Account_Get', {}, session)).status, 401);
  });

  test('a provider that an owner changes asks people to confirm their links for other organisations again', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const member = await newMember(home, 'member');
    const elsewhere = await createHome(stack());
    bodyOf(
      await call(
        'TenantMembers_Add',
        { Tenant: elsewhere.tenant, UserID: member.id },
        stack().platformKey,
      ),
    );
    const provider = await connect(home, owner.token);
    const session = await enter(provider, 'bob', member.email);
    bodyOf(
      await call(
        'Users_ConfirmIdentity',
        { UserID: member.id, Provider: provider.ID },
        stack().platformKey,
      ),
    );
    bodyOf(await call('Tenants_Get', { Tenant: elsewhere.tenant }, session));
    bodyOf(await save(Tenant, { ID: provider.ID, AttributeMap: { Name: 'nick' } }, owner.token));
    for (const token of [session, await enter(provider, 'bob', member.email)]) {
      bodyOf(await call('Tenants_Get', { Tenant }, token));
      assertRefused(
        await call('Tenants_Get', { Tenant: elsewhere.tenant }, token),
        403,
        'permission_denied',
      );
    }
  });
});
