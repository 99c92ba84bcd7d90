import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { bodyOf, readList } from '../support/answers.ts';
import { eventually, type Stack, type Topology } from '../support/harness.ts';
import { caughtBy, mailsTo, newAddress, signUp } from '../support/people.ts';
import { countOf, eventsOf, rowsOf } from '../support/store.ts';
import { createHome, type Home, loginUrl, readProvider, refusalIn } from './home.ts';
import { passwordContext } from './saml/texts.ts';
import { account, type Identity, type Providers, rolesOf } from './stage.ts';

// Sign-ins over OIDC and SAML create, link and map users, or refuse them.

type Member = { UserID: string; Source: string };

/** `providers` is called after the suite has started them. */
export function testFirstSignIns(topology: Topology, providers: () => Providers): void {
  let stack: Stack;
  let setIdentity: Providers['setIdentity'];
  let go: Providers['go'];
  let provide: Providers['provide'];
  before(() => {
    ({ stack, setIdentity, go, provide } = providers());
  });

  const membersOf = async ({ tenant: Tenant, owner }: Home) =>
    (await readList<Member>(stack, 'TenantMembers_List', { Tenant }, owner.token)).items;
  const groupsOf = async ({ tenant: Tenant, owner }: Home, path: string) =>
    (await readList<string>(stack, 'Groups_ListMembers', { Tenant, Group: path }, owner.token))
      .items;

  for (const kind of ['oidc', 'saml']) {
    test(`the first sign-in (${kind}) creates a user and a membership, and the second one reuses them`, async () => {
      const home = await createHome(stack);
      const provider = await provide(home, kind);
      const email = `ada@${home.domain}`;
      setIdentity({ subject: 'first', email });
      const hook = `first-${kind}-${topology.replaceAll(' ', '-')}`;
      const endpoint = {
        Tenant: home.tenant,
        Name: hook,
        URL: `${stack.inboxUrl}/hooks/${hook}`,
        EventTypes: ['user.*'],
      };
      bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, home.owner.token));
      const { page, token = '' } = await go(loginUrl(stack, provider));
      assert.equal(new URL(page.url).pathname, '/login');
      const { User, Tenants } = await account(stack, token);
      assert.deepEqual(
        [User.Email, User.Name, User.HasPassword, Tenants.map(({ ID }) => ID)],
        [email, 'Ada Lovelace', false, [home.tenant]],
      );
      const member = (await membersOf(home)).find(({ UserID }) => UserID === User.ID);
      assert.equal(member?.Source, 'sso');
      assert.deepEqual(await rolesOf(stack, home, User.ID), [{ role: 'member' }]);
      const [session] = (
        await readList<{ AuthMethod: string; Provider: string }>(stack, 'Sessions_List', {}, token)
      ).items;
      assert.deepEqual([session?.AuthMethod, session?.Provider], [kind, provider.ID]);
      const eventTypes = async () =>
        (await eventsOf(stack, 'identity', ''))
          .filter(({ data }) => data['ID'] === User.ID)
          .map(({ type }) => type);
      assert.deepEqual(await eventTypes(), ['user.registered', 'user.signed_in']);

      // Every service recorded the id of the one request that the browser made.
      const causes = await rowsOf<{ type: string; id: string }>(
        stack,
        `select type, audit::jsonb->>'RequestID' as id from identity.outbox where audit like '%' || $1 || '%'
         union all select type, audit::jsonb->>'RequestID' from access.outbox where for_tenant = $2 and audit like '%' || $1 || '%'`,
        [User.ID, home.tenant],
      );
      assert.deepEqual(
        ['user.registered', 'user.signed_in', 'tenant.member_added', 'grant.added'].filter(
          (type) => !causes.some((cause) => cause.type === type),
        ),
        [],
      );
      assert.equal(new Set(causes.map(({ id }) => id)).size, 1, JSON.stringify(causes));
      assert.notEqual(causes[0]?.id, '');

      // The tenant owns the domain, so it gets the event of a user who is not a member yet.
      await eventually('the event of the new user', async () =>
        (await caughtBy(stack, hook)).some(({ Body }) => Body.includes('"user.registered"')),
      );

      const again = await go(loginUrl(stack, provider));
      assert.equal((await account(stack, again.token ?? '')).User.ID, User.ID);
      assert.notEqual(again.token, token);
      assert.deepEqual(await eventTypes(), ['user.registered', 'user.signed_in', 'user.signed_in']);
      assert.equal((await membersOf(home)).length, 2);
      const { LastLoginAt = '', LastError } = await readProvider(stack, home, provider);
      assert.ok(Date.now() - Date.parse(LastLoginAt) < 60_000 && LastError === '');
    });

    test(`the assurance of a sign-in (${kind}) follows AssuranceMap, and without one the usual values`, async () => {
      const home = await createHome(stack);
      const provider = await provide(home, kind);
      setIdentity({ subject: 'assured', email: `ada@${home.domain}` });
      const [said, usual] = kind === 'saml' ? [passwordContext, 'aal1'] : ['gold', 'aal2'];
      const entries = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`urn:v${index}`, 'aal2']));
      for (const AssuranceMap of [{ mfa: 'aal3' }, { '': 'aal2' }, entries(51)]) {
        const wrong = { ...provider, Name: 'Acme', AssuranceMap };
        const refused = await stack.call('Sso_SaveProvider', { Provider: wrong }, home.owner.token);
        assert.match(String(refused.body.Messages), /AssuranceMap must map at most 50 values/);
      }
      for (const [AssuranceMap, expected] of [
        [{}, usual],
        [{ [said]: 'phishing_resistant', mfa: 'aal1' }, 'phishing_resistant'],
        [entries(50), 'aal1'],
      ] as const) {
        const { Tenant, ID } = provider;
        const Provider = { Tenant, ID, Name: 'Acme', AssuranceMap };
        const saved = bodyOf(await stack.call('Sso_SaveProvider', { Provider }, home.owner.token));
        assert.deepEqual(
          (saved['Provider'] as Record<string, unknown>)['AssuranceMap'],
          AssuranceMap,
        );
        const { token = '' } = await go(loginUrl(stack, provider));
        const { Assurance } = bodyOf(await stack.call('Account_Get', {}, token));
        assert.equal(Assurance, expected, JSON.stringify(AssuranceMap));
      }
    });

    test(`groups and roles follow the mappings (${kind}), and manual assignments stay`, async () => {
      const home = await createHome(stack);
      for (const Path of ['eng', 'ops', 'own'])
        bodyOf(
          await stack.call(
            'Groups_Save',
            { Group: { Tenant: home.tenant, Path } },
            home.owner.token,
          ),
        );
      const GroupMappings = [
        { Value: 'engineers', Group: 'eng', Role: '' },
        { Value: 'operators', Group: 'ops', Role: 'auditor' },
      ];
      const provider = await provide(home, kind, { GroupMappings });
      const email = `ada@${home.domain}`;
      setIdentity({ subject: 'mapped', email, groups: ['engineers', 'operators', 'others'] });
      const { token = '' } = await go(loginUrl(stack, provider));
      const { ID } = (await account(stack, token)).User;
      bodyOf(
        await stack.call(
          'Groups_AddMember',
          { Tenant: home.tenant, Group: 'own', UserID: ID },
          home.owner.token,
        ),
      );
      assert.deepEqual([await groupsOf(home, 'eng'), await groupsOf(home, 'ops')], [[ID], [ID]]);
      assert.deepEqual(await rolesOf(stack, home, ID), [{ role: 'auditor' }, { role: 'member' }]);
      assert.equal((await stack.call('Audit_List', { Tenant: home.tenant }, token)).status, 200);
      setIdentity({ subject: 'mapped', email, groups: ['engineers'] });
      await go(loginUrl(stack, provider));
      assert.deepEqual(
        [await groupsOf(home, 'eng'), await groupsOf(home, 'ops'), await groupsOf(home, 'own')],
        [[ID], [], [ID]],
      );
      assert.deepEqual(await rolesOf(stack, home, ID), [{ role: 'member' }]);
      assert.equal(
        (await stack.call('Audit_List', { Tenant: home.tenant }, token)).status,
        403,
        'the earlier session has lost the role too',
      );
      bodyOf(
        await stack.call(
          'Sso_DeleteProvider',
          { Tenant: home.tenant, ID: provider.ID },
          home.owner.token,
        ),
      );
      assert.deepEqual(
        [await groupsOf(home, 'eng'), await groupsOf(home, 'own')],
        [[], [ID]],
        'deleting the provider removes its assignments',
      );
    });

    test(`an existing account with the address is linked (${kind}), keeps its password and gets a notice`, async () => {
      const home = await createHome(stack);
      const provider = await provide(home, kind);
      const person = await signUp(stack, `grace@${home.domain}`);
      setIdentity({
        subject: 'linked',
        email: person.email.toUpperCase().replace('GRACE', 'Grace'),
      });
      const { token = '' } = await go(loginUrl(stack, provider));
      assert.equal((await account(stack, token)).User.ID, person.id);
      await eventually('the notice', async () =>
        (await mailsTo(stack, person.email)).some(({ Text }) => Text.includes('Acme staff')),
      );
      assert.equal(
        (
          await stack.call('Account_Login', {
            Email: person.email,
            Password: 'correct horse battery',
          })
        ).status,
        200,
      );
      const links = await countOf(stack, 'identity.identity_link where user_id = $1', [person.id]);
      assert.equal(links, 1);
    });

    test(`a rejected sign-in (${kind}) creates no session, link or account, and LastError shows the reason`, async () => {
      const home = await createHome(stack);
      const provider = await provide(home, kind);
      const email = `ada@${home.domain}`;
      const counts = (address: string) =>
        Promise.all([
          countOf(stack, 'identity.user_account where email_key = $1', [address]),
          ...['identity_link', 'session', 'sign_in_code'].map((table) =>
            countOf(stack, `identity.${table} where provider = $1`, [provider.ID]),
          ),
        ]);
      const refuses = async (identity: Identity, reason: string) => {
        setIdentity(identity);
        const before = await counts(identity.email);
        const went = await go(loginUrl(stack, provider));
        assert.equal(went.token, undefined);
        assert.deepEqual(
          [refusalIn(went).status, refusalIn(went).Code],
          [403, 'permission_denied'],
        );
        assert.deepEqual(await counts(identity.email), before);
        const { LastError } = await readProvider(stack, home, provider);
        assert.ok(LastError.startsWith(`${reason}: `), LastError);
        assert.ok(
          !refusalIn(went).Message.includes(LastError.slice(reason.length + 2)),
          refusalIn(went).Message + LastError,
        );
      };
      await refuses({ subject: 'a', email: newAddress() }, 'DOMAIN_FOREIGN');
      await refuses({ subject: 'a', email: `ada@sub.${home.domain}` }, 'DOMAIN_FOREIGN');
      await refuses({ subject: 'a', email: `ada@${home.domain}.evil.example` }, 'DOMAIN_FOREIGN');
      if (kind === 'oidc')
        await refuses({ subject: 'a', email, verified: false }, 'EMAIL_UNVERIFIED');
      bodyOf(
        await stack.call(
          'Sso_SaveProvider',
          { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', Jit: false } },
          home.owner.token,
        ),
      );
      await refuses({ subject: 'a', email }, 'NO_ACCOUNT');
      const disabled = await signUp(stack, `out@${home.domain}`);
      bodyOf(await stack.call('Users_Disable', { UserID: disabled.id }, stack.platformKey));
      await refuses({ subject: 'b', email: disabled.email }, 'ACCOUNT_DISABLED');
      // The same address with another subject at the provider.
      bodyOf(
        await stack.call(
          'Sso_SaveProvider',
          { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', Jit: true } },
          home.owner.token,
        ),
      );
      setIdentity({ subject: 'c', email });
      await go(loginUrl(stack, provider));
      await refuses({ subject: 'd', email }, 'ALREADY_LINKED');
      const failures = (await eventsOf(stack, 'sso', home.tenant)).filter(
        ({ type }) => type === 'sso.login_failed',
      );
      assert.equal(failures.at(-1)?.data['ID'], provider.ID);
      const audited = await eventually('the audit', async () => {
        const { items } = await readList<{ Action: string; Result: string; Code: string }>(
          stack,
          'Audit_List',
          { Tenant: home.tenant },
          home.owner.token,
        );
        const failedLogins = items.filter(({ Action }) => Action === 'sso.login_failed');
        return failedLogins.length >= failures.length && failedLogins;
      });
      assert.ok(
        audited.every(({ Result, Code }) => Result === 'failed' && Code === 'permission_denied'),
      );
    });
  }
}
