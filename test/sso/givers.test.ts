import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList } from '../support/answers.ts';
import { describeOne } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { eventTypesOf, rowsOf } from '../support/store.ts';
import { type Home, loginUrl, oidcOf, ownDomain } from './home.ts';
import { account, clientSecret, type Providers, rolesOf, startProviders } from './stage.ts';
import { createUnconfirmed, type Holder, type Provider } from './unconfirmed.ts';

// A provider and a domain hand out what their last saver may grant at that time.

describeOne('what providers and domains hand out', 'one process', (topology) => {
  let providers: Providers;
  before(async () => {
    providers = await startProviders(topology);
  });
  after(() => providers?.stop());
  const suite = createUnconfirmed(() => providers);
  const { stack, call, newHome, newMember, save, read, confirm } = suite;

  /** A tenant with the role helper, the group ops that gives it, and an administrator who may grant it now. */
  async function newStage() {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const asOwner = async (operation: string, body: object) =>
      bodyOf(await call(operation, body, owner.token));
    const saveRole = (Slug: string, ...Permissions: string[]) =>
      asOwner('Roles_Save', { Role: { Tenant, Slug, Permissions } });
    await saveRole('helper', 'app.read');
    await saveRole('reader', 'app.read');
    await saveRole('payer', 'app.money.move');
    for (const Path of ['staff', 'staff/ops'])
      await asOwner('Groups_Save', { Group: { Tenant, Path } });
    await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: 'staff/ops', Role: 'helper' } });
    const admin = await newMember(home, 'admin');
    await asOwner('Grants_Add', { Grant: { Tenant, UserID: admin.id, Role: 'reader' } });
    return { home, Tenant, owner, admin, asOwner, saveRole };
  }

  async function provide(Tenant: string, { token }: Holder, fields: object): Promise<Provider> {
    const { op } = providers;
    const settings = { ...oidcOf(op.issuer), ...fields };
    const saved = bodyOf(await save(Tenant, settings, token, { Secret: clientSecret }));
    const provider = saved['Provider'] as Provider;
    op.setClient({ id: 'bailiwick', redirectUris: [provider.RedirectURI], secret: clientSecret });
    return provider;
  }

  /** Signs a person of these groups in, and returns the roles and the members of staff/ops. */
  async function enter(home: Home, provider: Provider, name: string, groups = ['operators']) {
    const email = `${name}@${home.domain}`;
    providers.setIdentity({ subject: email, email, groups });
    const { token, page } = await providers.go(loginUrl(stack(), provider));
    assert.ok(token, page.text);
    const { ID } = (await account(stack(), token)).User;
    const roles = (await rolesOf(stack(), home, ID)).map(({ role }) => role);
    const request = { Tenant: home.tenant, Group: 'staff/ops' };
    const { items } = await readList<string>(
      stack(),
      'Groups_ListMembers',
      request,
      home.owner.token,
    );
    return { ID, roles, inGroup: items.includes(ID) };
  }

  const warningOf = async (provider: Provider) =>
    ((await read(provider)) as unknown as { LastWarning: string }).LastWarning;

  const mapping = {
    DefaultRoles: ['helper'],
    GroupMappings: [{ Value: 'operators', Group: 'staff/ops' }],
  };

  test('a role and an ancestor of a group that get more rights are not given until someone who may saves the provider', async () => {
    const { home, Tenant, owner, admin, asOwner, saveRole } = await newStage();
    const provider = await provide(Tenant, admin, mapping);
    const first = await enter(home, provider, 'first');
    assert.deepEqual([first.roles, first.inGroup], [['helper'], true]);
    await saveRole('helper', 'app.read', 'app.write');
    const second = await enter(home, provider, 'second');
    assert.deepEqual([second.roles, second.inGroup], [[], false]);
    assert.match(
      await warningOf(provider),
      /role helper, group staff\/ops.* may not grant app\.write/,
    );
    await saveRole('helper', 'app.read');
    await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: 'staff', Role: 'payer' } });
    const third = await enter(home, provider, 'third');
    assert.deepEqual([third.roles, third.inGroup], [['helper'], false]);
    assert.match(
      await warningOf(provider),
      /receive group staff\/ops\..* may not grant app\.money\.move/,
    );
    const person = await enter(home, provider, 'first');
    assert.deepEqual([person.roles, person.inGroup], [['helper'], true], 'nothing is taken away');

    await asOwner('Grants_Add', { Grant: { Tenant, UserID: owner.id, Role: 'payer' } });
    const { ID } = provider;
    bodyOf(await save(Tenant, { ID, Kind: 'oidc' }, owner.token));
    assert.equal(await warningOf(provider), '');
    const again = await enter(home, provider, 'third');
    assert.equal(again.inGroup, true);
  });

  test('a provider whose saver has left gives membership only until it is confirmed', async () => {
    const { home, Tenant, owner, admin, asOwner } = await newStage();
    const provider = await provide(Tenant, admin, mapping);
    await asOwner('TenantMembers_Remove', { Tenant, UserID: admin.id });
    const late = await enter(home, provider, 'late');
    assert.deepEqual([late.roles, late.inGroup], [[], false]);
    bodyOf(await confirm(provider, owner.token));
    const later = await enter(home, provider, 'later');
    assert.deepEqual([later.roles, later.inGroup], [['helper'], true]);
    // A provider from before the upgrade has no giver.
    await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: 'staff', Role: 'payer' } });
    await rowsOf(stack(), 'update sso.provider set giver = null where id = $1', [provider.ID]);
    const latecomer = await enter(home, provider, 'late');
    assert.equal(
      latecomer.inGroup,
      true,
      JSON.stringify([
        await warningOf(provider),
        await rowsOf(stack(), 'select * from sso.provider where id = $1', [provider.ID]),
      ]),
    );
  });

  test('a default role of the tenant that its giver may not grant is left out', async () => {
    const { home, Tenant, admin, asOwner } = await newStage();
    const provider = await provide(Tenant, admin, {});
    assert.deepEqual((await enter(home, provider, 'one')).roles, ['member']);
    await asOwner('Tenants_Update', { Tenant: { ID: Tenant, Settings: { DefaultRole: 'payer' } } });
    assert.deepEqual((await enter(home, provider, 'two')).roles, []);
    assert.match(await warningOf(provider), /role payer/);
  });

  test('a domain gives its role only while its last saver may grant it', async () => {
    const { home, Tenant, owner, admin, saveRole } = await newStage();
    const settings = { Capture: 'suggest', DefaultRole: 'helper' };
    const domain = await ownDomain(stack(), { tenant: Tenant, owner: admin }, settings);
    const join = async () => {
      const person = await signUp(stack(), `p${randomBytes(4).toString('hex')}@${domain}`);
      bodyOf(await call('Domain_Join', { Tenant }, person.token));
      return (await rolesOf(stack(), home, person.id)).map(({ role }) => role);
    };
    assert.deepEqual(await join(), ['helper']);
    await saveRole('helper', 'app.read', 'app.write');
    assert.deepEqual(await join(), []);
    const domains = await rowsOf<{ id: string }>(
      stack(),
      'select id from sso.domain where name = $1',
      [domain],
    );
    const again = { Tenant, ID: domains[0]?.id, ...settings };
    bodyOf(await call('Domain_Update', again, admin.token));
    assert.deepEqual(await join(), [], 'the administrator may not grant it');
    bodyOf(await call('Domain_Update', again, owner.token));
    assert.deepEqual(await join(), ['helper']);
  });

  test('the owners learn that a provider ended what its saver could not give', async () => {
    const { home, Tenant, admin, asOwner } = await newStage();
    const Grant = { Tenant, UserID: admin.id, Role: 'payer' };
    await asOwner('Grants_Add', { Grant });
    const GroupMappings = [{ Value: 'operators', Role: 'payer' }];
    const provider = await provide(Tenant, admin, { GroupMappings });
    for (const name of ['one', 'two', 'three'])
      assert.ok((await enter(home, provider, name)).roles.includes('payer'));
    const ended = async () =>
      (await eventTypesOf(stack(), 'access', Tenant)).filter(
        (type) => type === 'tenant.holder_ended',
      ).length;
    assert.equal((await enter(home, provider, 'three', [])).roles.includes('payer'), false);
    assert.equal(await ended(), 0, 'the administrator could have given it');
    await asOwner('Grants_Remove', { Grant });
    assert.equal((await enter(home, provider, 'one', [])).roles.includes('payer'), false);
    assert.equal(await ended(), 1);
    await asOwner('Sso_DeleteProvider', { Tenant, ID: provider.ID });
    assert.equal(await ended(), 2);
  });

  test('invitations and offers from a session of an unconfirmed provider pass on no more than it holds, also later', async () => {
    const home = await newHome();
    const { tenant: Tenant, owner } = home;
    const admin = await newMember(home, 'admin');
    const provider = await suite.connect(home, admin.token);
    const session = await suite.enter(provider, 'mallory', owner.email);
    const asOwner = async (operation: string, request: object) =>
      bodyOf(await call(operation, request, owner.token));
    const saveRole = (...Permissions: string[]) =>
      asOwner('Roles_Save', { Role: { Tenant, Slug: 'starter', Permissions } });
    await saveRole('iam.users.read');
    await asOwner('Tenants_Update', {
      Tenant: { ID: Tenant, Name: 'Acme', Settings: { DefaultRole: 'starter' } },
    });
    await asOwner('Groups_Save', { Group: { Tenant, Path: 'staff' } });
    const [invited, offered] = [await signUp(stack()), await signUp(stack())];
    const invitation = { Tenant, Email: invited.email, Groups: ['staff'], Roles: ['member'] };
    const { Token } = bodyOf(await call('TenantInvitations_Create', invitation, session));
    bodyOf(await call('TenantMembers_Add', { Tenant, UserID: offered.id }, session));

    await saveRole('iam.users.read', 'iam.tenant.delete');
    await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: 'staff', Role: 'starter' } });
    for (const answer of [
      await call('TenantInvitations_Accept', { Token }, invited.token),
      await call('TenantMembers_Accept', { Tenant }, offered.token),
    ]) {
      assertRefused(answer, 400, 'failed_precondition');
      assert.equal(answer.body['Reason'], 'INVITER_LACKS_RIGHTS');
    }
    await saveRole('iam.users.read');
    bodyOf(await call('TenantInvitations_Accept', { Token }, invited.token));
    bodyOf(await call('TenantMembers_Accept', { Tenant }, offered.token));
  });
});
