import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf, readList } from '../support/answers.ts';
import { describeOne, eventually } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { createHome, type Home, loginUrl, type ProviderRecord, readProvider } from './home.ts';
import { account, type Providers, rolesOf, startProviders } from './stage.ts';

// Sign-ins whose answers do not state the groups from which roles and groups are mapped.

const groupsLink = 'http://schemas.microsoft.com/claims/groups.link';

describeOne('groups that a provider does not state', 'one process', (topology) => {
  let providers: Providers;
  before(async () => {
    providers = await startProviders(topology);
  });
  after(() => providers?.stop());

  type ProviderWarning = { LastWarning: string };
  type Member = { home: Home; provider: ProviderRecord; email: string; ID: string };

  /** A member with the role auditor and the group ops, which follow from a stated group. */
  async function mappedMember(kind: string, fields: object = {}): Promise<Member> {
    const { stack, setIdentity, go, provide } = providers;
    const home = await createHome(stack);
    const Group = { Tenant: home.tenant, Path: 'ops' };
    bodyOf(await stack.call('Groups_Save', { Group }, home.owner.token));
    const GroupMappings = [{ Value: 'operators', Group: 'ops', Role: 'auditor' }];
    const provider = await provide(home, kind, { GroupMappings, ...fields });
    const email = `ada@${home.domain}`;
    setIdentity({ subject: email, email, groups: ['operators'] });
    const { token = '' } = await go(loginUrl(stack, provider));
    const { ID } = (await account(stack, token)).User;
    const member = { home, provider, email, ID };
    await assertMapped(member, true);
    return member;
  }

  async function assertMapped({ home, ID }: Member, isMapped: boolean): Promise<void> {
    const { stack } = providers;
    const request = { Tenant: home.tenant, Group: 'ops' };
    const { items } = await readList<string>(
      stack,
      'Groups_ListMembers',
      request,
      home.owner.token,
    );
    const roles = (await rolesOf(stack, home, ID)).map(({ role }) => role);
    assert.deepEqual([items, roles], isMapped ? [[ID], ['auditor', 'member']] : [[], ['member']]);
  }

  /** Signs in with an answer without groups, and `more` in it. Returns the provider's warning. */
  async function signIn(
    { home, provider, email }: Member,
    { claims = {}, attributes = {} }: { claims?: object; attributes?: object } = {},
  ): Promise<string> {
    const { stack, op, idp, go } = providers;
    op.setAccount(email, { email, email_verified: true, ...claims });
    idp.setPerson({ nameId: email, attributes: { mail: [email], ...attributes } });
    const { token } = await go(loginUrl(stack, provider));
    assert.ok(token);
    const { LastWarning } = (await readProvider(
      stack,
      home,
      provider,
    )) as unknown as ProviderWarning;
    return LastWarning;
  }

  const age = ({ home, ID }: Member, days: number) =>
    rowsOf(
      providers.stack,
      `update access.mapping_statement set stated_at = stated_at - $3 * interval '1 day' where tenant = $1 and user_id = $2`,
      [home.tenant, ID, days],
    );

  for (const [kind, name, more] of [
    [
      'oidc',
      '_claim_names',
      {
        claims: {
          _claim_names: { groups: 'src1' },
          _claim_sources: { src1: { endpoint: 'https://graph.example.com' } },
        },
      },
    ],
    ['oidc', 'hasgroups', { claims: { hasgroups: true } }],
    ['saml', 'groups.link', { attributes: { [groupsLink]: ['https://graph.example.com'] } }],
  ] as const)
    test(`an answer with ${name} keeps mapped rights for at most 30 days, and warns`, async () => {
      const member = await mappedMember(kind);
      assert.match(await signIn(member, more), /^GROUPS_UNKNOWN: .* stay for 30 days/);
      await assertMapped(member, true);
      await age(member, 29);
      await signIn(member, more);
      await assertMapped(member, true);
      await age(member, 2);
      // The sweeper may have ended the rights before the sign-in.
      assert.match(await signIn(member, more), /^GROUPS_UNKNOWN: /);
      await assertMapped(member, false);
      await signIn(member, more);
      await assertMapped(member, false);
    });

  test('a userinfo endpoint that fails keeps mapped rights', async () => {
    const { op } = providers;
    const member = await mappedMember('oidc');
    op.setUserinfo(false);
    try {
      assert.match(await signIn(member), /^GROUPS_UNKNOWN: .*userinfo endpoint/i);
      await assertMapped(member, true);
    } finally {
      op.setUserinfo(true);
    }
  });

  test('a scope that was not granted keeps mapped rights', async () => {
    const { stack } = providers;
    const member = await mappedMember('oidc');
    const { Tenant, ID } = member.provider;
    const Provider = { Tenant, ID, Name: 'Acme', Scopes: ['email', 'profile', 'directory'] };
    bodyOf(await stack.call('Sso_SaveProvider', { Provider }, member.home.owner.token));
    assert.match(await signIn(member), /^GROUPS_UNKNOWN: .*did not grant these scopes: directory/);
    await assertMapped(member, true);
  });

  for (const kind of ['oidc', 'saml']) {
    test(`a complete answer without groups (${kind}) revokes mapped rights, and warns`, async () => {
      const { stack } = providers;
      const member = await mappedMember(kind);
      assert.match(await signIn(member), /^GROUPS_ABSENT: .* were revoked/);
      await assertMapped(member, false);
      const { Tenant, ID } = member.provider;
      const Provider = { Tenant, ID, Name: 'Acme 2' };
      const saved = bodyOf(
        await stack.call('Sso_SaveProvider', { Provider }, member.home.owner.token),
      )['Provider'] as Record<string, unknown>;
      assert.deepEqual([saved['LastWarning'], saved['AbsentGroups']], ['', 'remove']);
    });

    test(`AbsentGroups keep (${kind}) keeps mapped rights for 30 days, and an empty list revokes them`, async () => {
      const member = await mappedMember(kind, { AbsentGroups: 'keep' });
      assert.match(await signIn(member), /^GROUPS_ABSENT: .* stay for 30 days/);
      await assertMapped(member, true);
      await signIn(member, { claims: { groups: [] }, attributes: { groups: [] } });
      await assertMapped(member, false);
    });
  }

  test('mapped rights that are not stated end after 30 days, without another sign-in', async () => {
    const other = await mappedMember('oidc');
    await age(other, 31);
    const member = await mappedMember('oidc', { AbsentGroups: 'keep' });
    await signIn(member);
    await age(member, 31);
    const ended = async () =>
      (await rolesOf(providers.stack, member.home, member.ID)).every(
        ({ role }) => role === 'member',
      );
    await eventually('the end of the mapped rights', ended, 120_000);
    await assertMapped(member, false);
    await assertMapped(other, true);
  });

  test('a provider that has never stated groups does not warn', async () => {
    const { stack, setIdentity, provide, go } = providers;
    const home = await createHome(stack);
    const GroupMappings = [{ Value: 'operators', Group: '', Role: 'auditor' }];
    const provider = await provide(home, 'oidc', { GroupMappings });
    const email = `new@${home.domain}`;
    setIdentity({ subject: email, email });
    const member = { home, provider, email, ID: '' };
    assert.equal(await signIn(member), '');
    assert.ok((await go(loginUrl(stack, provider))).token);
  });

  test('the first sign-in after a change, and Sso_TestProvider, name mapped claims that did not come', async () => {
    const { stack, op, setIdentity, go, provide } = providers;
    const home = await createHome(stack);
    const email = `eve@${home.domain}`;
    const provider = await provide(home, 'oidc', {
      GroupMappings: [{ Value: 'operators', Role: 'auditor' }],
      AttributeMap: { Groups: 'realm_access.roles', Name: 'profile.name' },
    });
    setIdentity({ subject: email, email });
    const { token = '' } = await go(loginUrl(stack, provider));
    const { ID } = (await account(stack, token)).User;
    const read = async () =>
      (await readProvider(stack, home, provider)) as unknown as ProviderWarning;
    assert.match(
      (await read()).LastWarning,
      /^CLAIMS_ABSENT: .* had no .*realm_access\.roles \(Groups\).*, which AttributeMap names/,
    );
    const request = { Tenant: home.tenant, ID: provider.ID };
    const { Findings } = bodyOf(
      await stack.call('Sso_TestProvider', request, home.owner.token),
    ) as unknown as { Findings: Array<{ Check: string; Level: string; Message: string }> };
    const finding = Findings.find(({ Check }) => Check === 'claims');
    assert.equal(finding?.Level, 'warning');
    assert.match(finding?.Message ?? '', /profile\.name \(Name\)/);
    // The claim is nested in others.
    op.setAccount(email, { email, email_verified: true, realm_access: { roles: ['operators'] } });
    assert.ok((await go(loginUrl(stack, provider))).token);
    const roles = (await rolesOf(stack, home, ID)).map(({ role }) => role);
    assert.deepEqual(roles, ['auditor', 'member']);
  });
});
