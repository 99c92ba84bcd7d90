// 25 s: signs in with an OpenID provider and with a SAML provider in almost every test.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, readList } from '../support/answers.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { caughtBy, newAddress } from '../support/people.ts';
import { countOf } from '../support/store.ts';
import { startBrowser } from './browse.ts';
import { testConfirmedLinks } from './confirmed-links.ts';
import { testFirstSignIns } from './first-sign-ins.ts';
import {
  createHome,
  goThrough,
  loginUrl,
  oidcOf,
  type ProviderRecord,
  refusalIn,
  saveProvider,
} from './home.ts';
import { testLimitedSessions } from './limited-sessions.ts';
import { createMovedDomain } from './moved-domain.ts';
import type { EvilIdp } from './saml/evil-idp.ts';
import { account, type Providers, startProviders } from './stage.ts';

// SSO sign-in at oidc-provider and at the test's own SAML identity provider, which is honest here.

describeOne('single sign-on', 'one process', (topology) => {
  let stack: Stack;
  let idp: EvilIdp;
  let setIdentity: Providers['setIdentity'];
  let go: Providers['go'];
  let provide: Providers['provide'];
  let providers: Providers;
  before(async () => {
    providers = await startProviders(topology);
    ({ stack, idp, setIdentity, go, provide } = providers);
  });
  after(() => providers?.stop());

  testFirstSignIns(topology, () => providers);
  const moved = createMovedDomain(() => providers);
  testLimitedSessions(() => providers, moved);
  testConfirmedLinks(() => providers, moved);

  test('a suspended tenant gets no events of users at its domain, and gets them again after Tenants_Resume', async () => {
    const home = await createHome(stack);
    const hook = `suspended-${topology.replaceAll(' ', '-')}`;
    const endpoint = {
      Tenant: home.tenant,
      Name: hook,
      URL: `${stack.inboxUrl}/hooks/${hook}`,
      EventTypes: ['user.*'],
    };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, home.owner.token));
    const createUser = async (name: string) =>
      bodyOf(
        await stack.call(
          'Users_Create',
          { User: { Email: `${name}@${home.domain}` } },
          stack.platformKey,
        ),
      );
    const received = async (name: string) =>
      (await caughtBy(stack, hook)).some(({ Body }) => Body.includes(`"${name}@`));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home.tenant }, stack.platformKey));
    // An event at the endpoint of another tenant shows that fan-out has processed the one before.
    const other = await createHome(stack);
    bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { ...endpoint, Tenant: other.tenant } },
        other.owner.token,
      ),
    );
    await createUser('ada');
    bodyOf(
      await stack.call(
        'Users_Create',
        { User: { Email: `eve@${other.domain}` } },
        stack.platformKey,
      ),
    );
    await eventually('the event after it', () => received('eve'));
    // Fan-out caches the tenant of a domain for this long.
    await sleep(2500);
    bodyOf(await stack.call('Tenants_Resume', { Tenant: home.tenant }, stack.platformKey));
    await createUser('bob');
    await eventually('the event after the suspension', () => received('bob'));
    assert.equal(await received('ada'), false);
  });

  test('Sso_Check returns the provider’s login URL, and an encrypted assertion signs in', async () => {
    const home = await createHome(stack);
    assert.deepEqual(bodyOf(await stack.call('Sso_Check', { Email: `anybody@${home.domain}` })), {
      Redirect: '',
    });
    const provider = await provide(home, 'saml');
    const { Redirect } = bodyOf(
      await stack.call('Sso_Check', { Email: `anybody@${home.domain}` }),
    ) as unknown as { Redirect: string };
    assert.equal(Redirect, loginUrl(stack, provider));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home.tenant }, stack.platformKey));
    assert.deepEqual(
      bodyOf(await stack.call('Sso_Check', { Email: `anybody@${home.domain}` })),
      { Redirect: '' },
      'a suspended tenant gets no redirect',
    );
    bodyOf(await stack.call('Tenants_Resume', { Tenant: home.tenant }, stack.platformKey));
    setIdentity({ subject: 'sealed', email: `ada@${home.domain}` });
    idp.encryptFor(provider.SpCertificate);
    try {
      const { token = '' } = await go(Redirect);
      assert.equal((await account(stack, token)).User.Email, `ada@${home.domain}`);
    } finally {
      idp.encryptFor(undefined);
    }
  });

  test('a SAML request and an OIDC response can use POST', async () => {
    const home = await createHome(stack);
    setIdentity({ subject: 'posted', email: `ada@${home.domain}` });
    const saml = await provide(home, 'saml', { RequestBinding: 'post' });
    assert.ok((await go(loginUrl(stack, saml))).token);
    const other = await createHome(stack);
    setIdentity({ subject: 'posted', email: `ada@${other.domain}` });
    const oidc = await provide(other, 'oidc', { ResponseMode: 'form_post' });
    assert.ok((await go(loginUrl(stack, oidc))).token);
  });

  test('an IdP-initiated response signs in only if the provider has AllowIdpInitiated', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    setIdentity({ subject: 'unasked', email: `ada@${home.domain}` });
    const unsolicited = `${idp.unsolicitedUrl}?${new URLSearchParams({ acsUrl: provider.AcsURL, spEntityId: provider.SpEntityID, RelayState: 'https://evil.example' }).toString()}`;
    assert.deepEqual(
      [refusalIn(await go(unsolicited)).status, refusalIn(await go(unsolicited)).Reason],
      [403, 'STARTED_BY_PROVIDER'],
    );
    const { Provider } = bodyOf(
      await stack.call(
        'Sso_GetProvider',
        { Tenant: home.tenant, ID: provider.ID },
        home.owner.token,
      ),
    ) as { Provider: { LastError: string } };
    assert.match(Provider.LastError, /AllowIdpInitiated is off/);
    // In a browser a sign-in begins here in its place, once: the provider may begin again and again.
    const browser = startBrowser({ accept: 'text/html' });
    assert.ok((await goThrough(stack, unsolicited, { browser })).token);
    const { page: refusal } = await goThrough(stack, unsolicited, { browser });
    assert.equal(refusal.status, 403);
    assert.match(refusal.text, /has started this by itself/);
    bodyOf(
      await stack.call(
        'Sso_SaveProvider',
        { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', AllowIdpInitiated: true } },
        home.owner.token,
      ),
    );
    const { page, token } = await go(unsolicited);
    assert.ok(token);
    assert.equal(
      new URL(page.url).pathname,
      '/login',
      'RelayState does not set the return address',
    );
  });

  test('a suspended tenant signs in no user, creates none, and its domain does not require SSO', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    const domains = (
      await readList<{ ID: string }>(
        stack,
        'Domain_List',
        { Tenant: home.tenant },
        home.owner.token,
      )
    ).items;
    bodyOf(
      await stack.call(
        'Domain_Update',
        { Tenant: home.tenant, ID: domains[0]?.ID, Capture: 'require_sso' },
        home.owner.token,
      ),
    );
    const Email = `carol@${home.domain}`;
    bodyOf(
      await stack.call(
        'Users_Create',
        { User: { Email }, Password: 'correct horse battery' },
        stack.platformKey,
      ),
    );
    const logIn = () => stack.call('Account_Login', { Email, Password: 'correct horse battery' });
    assert.equal((await logIn()).status, 403);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home.tenant }, stack.platformKey));
    setIdentity({ subject: 'closed', email: `new@${home.domain}` });
    const users = () =>
      countOf(stack, 'identity.user_account where email_key = $1', [`new@${home.domain}`]);
    const refused = refusalIn(await go(loginUrl(stack, provider)));
    assert.deepEqual(
      [refused.status, refused.Message],
      [403, 'Your organisation is suspended. Please ask your administrator.'],
    );
    assert.equal(await users(), 0);
    const { Token } = await eventually('a sign-in', async () => {
      const answer = await logIn();
      return answer.status === 200 && (answer.body as unknown as { Token: string });
    });
    bodyOf(await stack.call('Tenants_Resume', { Tenant: home.tenant }, stack.platformKey));
    await eventually('the requirement', async () => (await logIn()).status === 403);
    const away = await stack.call(
      'Account_ChangeEmail',
      { Email: newAddress(), Password: 'correct horse battery' },
      Token,
    );
    assert.equal(away.status, 403, 'the address cannot change while its domain requires SSO');
  });

  test('Sso_TestProvider reports working and failing checks', async () => {
    const home = await createHome(stack);
    type TestResult = {
      OK: boolean;
      Findings: Array<{ Check: string; Level: string; Message: string }>;
    };
    const tested = async ({ ID }: ProviderRecord) =>
      bodyOf(
        await stack.call('Sso_TestProvider', { Tenant: home.tenant, ID }, home.owner.token),
      ) as unknown as TestResult;
    const provider = await provide(home, 'oidc');
    const good = await tested(provider);
    assert.ok(good.OK, JSON.stringify(good.Findings));
    assert.ok(good.Findings.some(({ Message }) => Message.includes(provider.RedirectURI)));
    assert.ok(
      good.Findings.some(
        ({ Check, Message }) => Check === 'domain' && Message.includes(home.domain),
      ),
    );
    const broken = await saveProvider(stack, home, oidcOf(`${stack.inboxUrl}/hooks/nothing`), {
      Secret: 's',
    });
    const bad = await tested(broken);
    assert.equal(bad.OK, false);
    assert.ok(
      bad.Findings.some(({ Level, Message }) => Level === 'error' && Message.length > 20),
      JSON.stringify(bad.Findings),
    );
  });
});
