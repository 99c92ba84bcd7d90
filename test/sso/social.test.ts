import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { describeOne, eventually } from '../support/harness.ts';
import { newAddress, signUp, tenantFor } from '../support/people.ts';
import { countOf, eventsOf, rowsOf } from '../support/store.ts';
import { startBrowser } from './browse.ts';
import { createHome, goThrough, ownDomain, type ProviderRecord, refusalIn } from './home.ts';
import { startEvilOp } from './oidc/evil-op.ts';
import { testSocialApple } from './social-apple.ts';
import { testSocialLinks } from './social-links.ts';
import { testSocialMicrosoft } from './social-microsoft.ts';
import { testSocialOauth } from './social-oauth.ts';
import { type SocialStage, startSocial } from './social-stage.ts';
import { testSocialTenants } from './social-tenants.ts';
import { testUnconfirmed } from './social-unconfirmed.ts';
import { account } from './stage.ts';

// Sign-ins through providers of the platform, which any user may use.

describeOne('social sign-in', 'one process', (topology) => {
  let stage: SocialStage;
  let stack: SocialStage['stack'];
  let op: SocialStage['op'];
  let google: ProviderRecord;
  let enter: SocialStage['enter'];
  let provide: SocialStage['provide'];
  let save: SocialStage['save'];
  let startOf: SocialStage['startOf'];
  before(async () => {
    stage = await startSocial(topology);
    ({ stack, op, google, enter, provide, save, startOf } = stage);
  });
  after(() => stage?.stop());

  testSocialLinks(() => stage);
  testSocialOauth(() => stage);
  testSocialApple(() => stage);
  testSocialMicrosoft(() => stage);
  testSocialTenants(() => stage);
  testUnconfirmed(() => stage);

  test('only the platform saves, reads, tests and deletes its providers', async () => {
    const { owner, tenant } = await createHome(stack);
    const draft = { Name: 'Mine', Kind: 'oidc', Issuer: op.issuer, ClientID: 'mine' };
    assertRefused(await save(draft, owner.token), 400, 'invalid_argument', [
      'Provider.Tenant is required',
    ]);
    assertRefused(await save({ ...draft, ID: google.ID }, owner.token), 400, 'invalid_argument', [
      'Provider.Tenant is required',
    ]);
    for (const operation of ['Sso_GetProvider', 'Sso_DeleteProvider', 'Sso_TestProvider'])
      assertRefused(
        await stack.call(operation, { ID: google.ID }, owner.token),
        400,
        'invalid_argument',
      );
    // In a tenant the ID of the platform's provider is unknown.
    const inTenant = { Tenant: tenant, ID: google.ID };
    assertRefused(await stack.call('Sso_GetProvider', inTenant, owner.token), 400, 'not_found');
    assertRefused(
      await save({ ...draft, Tenant: tenant, ID: google.ID }, owner.token),
      400,
      'not_found',
    );
    bodyOf(await stack.call('Sso_DeleteProvider', inTenant, owner.token));
    const wrongPlace = await fetch(`${stack.url}/auth/${tenant}/${google.ID}/login`);
    assert.equal(wrongPlace.status, 400);
    const read = { ID: google.ID };
    assert.equal(
      (
        recordIn(
          await stack.call('Sso_GetProvider', read, stack.platformKey),
          'Provider',
        ) as ProviderRecord
      ).RedirectURI,
      `${stack.url}/auth/platform/${google.ID}/callback`,
    );
    const tested = bodyOf(await stack.call('Sso_TestProvider', read, stack.platformKey));
    assert.equal(tested['OK'], true, JSON.stringify(tested));
    const { items } = await readList<ProviderRecord>(
      stack,
      'Sso_ListProviders',
      {},
      stack.platformKey,
    );
    assert.ok(items.some(({ ID }) => ID === google.ID));
    assertRefused(await save({ ...draft, Kind: 'saml' }), 400, 'invalid_argument');
    assertRefused(await save({ ...draft, DefaultRoles: ['owner'] }), 400, 'invalid_argument', [
      'Provider.DefaultRoles must be empty if Provider.Tenant is empty',
    ]);
  });

  test('Sso_ListSocialProviders shows everyone the active providers of the platform, and nothing secret', async () => {
    const second = await provide('Another', { Active: false });
    const listed = async () =>
      recordIn(await stack.call('Sso_ListSocialProviders', {}), 'Providers') as Array<{
        ID: string;
      }>;
    const [first] = await listed();
    assert.deepEqual(first, {
      ID: google.ID,
      Name: 'Google',
      Kind: 'oidc',
      LoginURL: startOf(google),
    });
    assert.ok((await listed()).every(({ ID }) => ID !== second.ID));
    bodyOf(await save({ ...second, Active: true }));
    await eventually('the second button', async () => {
      const ids = (await listed()).map(({ ID }) => ID);
      return ids.indexOf(google.ID) === 0 && ids.includes(second.ID);
    });
    bodyOf(await save({ ...second, Active: false }));
    await eventually('no second button', async () =>
      (await listed()).every(({ ID }) => ID !== second.ID),
    );
    bodyOf(await stack.call('Sso_DeleteProvider', { ID: second.ID }, stack.platformKey));
  });

  test('a provider is asked for the language that the user has chosen, and for no other', async () => {
    const localeAt = async (query: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(startOf(google) + query, { headers, redirect: 'manual' });
      return new URL(answer.headers.get('location') ?? '').searchParams.get('ui_locales');
    };
    const cookie = 'bailiwick_locale=de';
    assert.equal(await localeAt('', { cookie }), 'de');
    assert.equal(await localeAt('?ui_locale=pt-PT', { cookie }), 'pt-BR');
    assert.equal(await localeAt('?ui_locale=xx', { 'accept-language': 'ja' }), null);
    assert.equal(await localeAt('', { cookie: 'bailiwick_locale=x%20y' }), null);
  });

  test('the first sign-in creates a user with the verified address, and the second one finds the user by the subject', async () => {
    const email = newAddress('social');
    const first = await enter({ sub: 's1', email, name: 'Ada Lovelace' });
    assert.equal(new URL(first.page.url).pathname, '/login');
    const { User, Tenants } = await account(stack, first.token ?? '');
    assert.deepEqual(
      [User.Email, User.Name, User.HasPassword, Tenants],
      [email, 'Ada Lovelace', false, []],
    );
    const [session] = (
      await readList<Record<string, unknown>>(stack, 'Sessions_List', {}, first.token ?? '')
    ).items;
    assert.deepEqual(
      [
        session?.['AuthMethods'],
        session?.['Assurance'],
        session?.['Provider'],
        session?.['LimitedTo'],
      ],
      [['oidc'], 'aal1', google.ID, ''],
    );
    const types = (await eventsOf(stack, 'identity', ''))
      .filter(({ data }) => data['ID'] === User.ID)
      .map(({ type }) => type);
    // No mail has reached the user yet.
    assert.deepEqual(types, ['user.registered', 'user.signed_in']);
    // Neither another address nor an unverified one changes who a subject is.
    const again = await enter({ sub: 's1', email: newAddress('other'), email_verified: false });
    assert.equal((await account(stack, again.token ?? '')).User.ID, User.ID);
    assert.equal((await account(stack, again.token ?? '')).User.Email, email);
    const returned = await enter({ sub: 's1' }, { returnTo: `${stack.url}/docs` });
    assert.equal(new URL(returned.page.url).pathname, '/docs');
  });

  test('fifty concurrent first sign-ins of a person create one user', async () => {
    const email = newAddress('fifty');
    op.setAccount('fifty', { email, email_verified: true });
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        goThrough(stack, startOf(google), { login: 'fifty', browser: startBrowser() }),
      ),
    );
    assert.ok(results.every(({ token }) => token !== undefined));
    assert.equal(await countOf(stack, 'identity.user_account where email = $1', [email]), 1);
  });

  test('an address that is missing or not verified creates and links nothing', async () => {
    const owner = await signUp(stack);
    for (const [sub, email] of [
      ['unverified-new', newAddress('unverified')],
      ['unverified-known', owner.email],
    ] as const) {
      const refused = refusalIn(await enter({ sub, email, email_verified: false }));
      assert.deepEqual([refused.status, refused.Code], [403, 'permission_denied']);
      assert.match(refused.Message, /has not verified your email address/);
    }
    assert.match(refusalIn(await enter({ sub: 'no-address' })).Message, /did not send your email/);
    assert.equal(
      await countOf(
        stack,
        "identity.identity_link where subject like 'unverified%' or subject = 'no-address'",
      ),
      0,
    );
    const waiting = 'identity.pending_link where user_id = $1';
    assert.equal(await countOf(stack, waiting, [owner.id]), 0);
  });

  test('a domain that requires single sign-on refuses social sign-in, of new and of known users', async () => {
    const owner = await signUp(stack);
    const tenant = await tenantFor(stack, owner.id);
    const domain = await ownDomain(stack, { tenant, owner });
    const email = `early@${domain}`;
    const early = await enter({ sub: 'early', email });
    assert.notEqual(early.token, undefined);
    await rowsOf(stack, "update sso.domain set capture = 'require_sso' where name = $1", [domain]);
    await eventually(
      'the refusal',
      async () => (await enter({ sub: 'early', email })).token === undefined,
    );
    for (const sub of ['early', 'late']) {
      const refused = refusalIn(await enter({ sub, email: `${sub}@${domain}` }));
      assert.equal(refused.status, 403);
      assert.match(refused.Message, /organisation requires its own sign-in/);
    }
    assert.equal(
      await countOf(stack, 'identity.user_account where email = $1', [`late@${domain}`]),
      0,
    );
  });

  test('a forged ID token of a provider creates nothing, even with the address of an account', async () => {
    const owner = await signUp(stack);
    const evil = await startEvilOp({
      account: { sub: 'mallory', email: owner.email, email_verified: true },
    });
    try {
      const fields = { Issuer: evil.issuer, TokenAuthMethod: 'none' };
      const provider = await provide('Evil', fields);
      for (const name of [
        'another issuer in the ID token',
        'another client in the ID token',
        'an audience that starts with the client id',
      ] as const) {
        evil.arm(name);
        const { page, token } = await goThrough(stack, startOf(provider));
        assert.deepEqual([page.status, token], [403, undefined], name);
      }
      const waiting = 'identity.pending_link where user_id = $1';
      assert.equal(await countOf(stack, waiting, [owner.id]), 0);
      evil.arm();
      const { page } = await goThrough(stack, startOf(provider));
      assert.equal(new URL(page.url).pathname, '/login');
      assert.equal(await countOf(stack, waiting, [owner.id]), 1);
    } finally {
      await evil.stop();
    }
  });

  test('a disabled user stays out, and without Jit no user is created', async () => {
    const email = newAddress('disabled');
    const { token = '' } = await enter({ sub: 'd1', email });
    const { ID } = (await account(stack, token)).User;
    bodyOf(await stack.call('Users_Disable', { UserID: ID }, stack.platformKey));
    assert.match(refusalIn(await enter({ sub: 'd1', email })).Message, /account is disabled/);
    // A new subject with the address learns no more, and waits for no link.
    assert.match(refusalIn(await enter({ sub: 'd2', email })).Message, /account is disabled/);
    const closed = await provide('Closed', { Jit: false });
    const late = newAddress('late');
    assert.match(
      refusalIn(await enter({ sub: 'j1', email: late }, { provider: closed })).Message,
      /no account here yet/,
    );
    assert.equal(await countOf(stack, 'identity.user_account where email = $1', [late]), 0);
  });

  test('an answer counts once, in the browser and for the provider of its sign-in', async () => {
    const other = await provide('Other');
    op.setAccount('mixed', { email: newAddress('mixed'), email_verified: true });
    const flows = async () => {
      const start = await fetch(startOf(google), { redirect: 'manual' });
      const cookie = (start.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
      const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? '';
      return { cookie, state };
    };
    const callback = (provider: ProviderRecord, state: string, cookie: string) =>
      fetch(`${provider.RedirectURI}?code=x&state=${state}`, {
        redirect: 'manual',
        headers: { cookie },
      }).then(async (answer) => `${answer.status} ${await answer.text()}`);
    const { cookie, state } = await flows();
    const another = await flows();
    // A mix-up: the state of one provider at the callback of the other.
    assert.match(await callback(other, state, cookie), /^400 .*expired or was finished before/);
    assert.match(await callback(google, state, another.cookie), /^403 .*another browser/);
    assert.match(await callback(google, state, cookie), /^403 .*cannot be accepted/);
    assert.match(await callback(google, state, cookie), /^400 .*expired or was finished before/);
  });
});
