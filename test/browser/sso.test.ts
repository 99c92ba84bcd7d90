import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createHome, loginUrl, oidcOf, saveProvider } from '../sso/home.ts';
import { type Op, startOp } from '../sso/oidc/op.ts';
import { bodyOf, readList } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { enterPassword, heading, hears, signIn } from './sign-in.ts';
import { createSsoPages } from './sso-pages.ts';
import { testSimpleSamlPhp } from './sso-saml.ts';

// Single sign-on with a browser and external providers.

const secret = 'a secret that is long enough for HMAC-SHA256';

describe('single sign-on in a browser', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  before(async () => {
    [stack, browser] = await Promise.all([
      startStack('five processes', { BAILIWICK_LIMITS: 'off' }),
      openBrowser(),
    ]);
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const suite = () => ({ stack, browser });
  const { begin, usersOf, assertSignedIn, save } = createSsoPages(suite);
  testSimpleSamlPhp(suite);

  describe('with oidc-provider', () => {
    let op: Op;
    before(async () => {
      op = await startOp({ clients: [] });
    });
    after(() => op?.stop());

    async function provide(fields: object = {}) {
      const home = await createHome(stack);
      const provider = await saveProvider(
        stack,
        home,
        { ...oidcOf(op.issuer), ...fields },
        { Secret: secret },
      );
      op.setClient({ id: 'bailiwick', redirectUris: [provider.RedirectURI], secret });
      const email = `ada@${home.domain}`;
      op.setAccount('ada', {
        email,
        email_verified: true,
        name: 'Ada Lovelace',
        groups: ['engineers'],
      });
      return { home, provider, email };
    }
    async function enterName(page: Page): Promise<void> {
      await page.getByLabel('Name').fill('ada');
      await page.getByRole('button', { name: 'Sign in' }).click();
    }

    for (const ResponseMode of ['query', 'form_post'])
      test(`the first sign-in creates a user, the second one finds it (${ResponseMode}), and a group from the provider grants a role`, async () => {
        const { home, provider, email } = await provide({ ResponseMode });
        await save(home, {
          ID: provider.ID,
          GroupMappings: [{ Value: 'engineers', Group: '', Role: 'auditor' }],
        });
        const page = await begin(email);
        await enterName(page);
        await assertSignedIn(page, email);
        await assertAccessible(page);
        await photograph(page, `sso-signed-in-${ResponseMode}`);
        const [user] = await usersOf(email);
        const roles = await rowsOf<{ role: string }>(
          stack,
          'select role from access.grant_entry where subject = $1 order by role',
          [user?.id],
        );
        assert.deepEqual(
          roles.map(({ role }) => role),
          ['auditor', 'member'],
        );
        const second = await begin(email);
        await enterName(second);
        await assertSignedIn(second, email);
        assert.deepEqual(await usersOf(email), [user]);
        assert.equal(await countOf(stack, 'identity.session where user_id = $1', [user?.id]), 2);
        // No script can read the session, and the address contains none of it.
        assert.deepEqual(
          [await page.evaluate('document.cookie'), new URL(page.url()).search],
          ['', ''],
        );
        await second.getByRole('button', { name: 'Sign out' }).click();
        await second.getByLabel('E-mail address').waitFor();
        assert.equal(await countOf(stack, 'identity.session where user_id = $1', [user?.id]), 1);
      });

    test('an invited user signs in with SSO and accepts', async () => {
      const { email } = await provide();
      const inviting = await createHome(stack);
      const invited = { Tenant: inviting.tenant, Email: email, Roles: ['auditor'] };
      const { Token } = bodyOf(
        await stack.call('TenantInvitations_Create', invited, inviting.owner.token),
      );
      const page = await browser.newPage();
      await page.goto(`${stack.url}/invitation#token=${String(Token)}`);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill('it is not asked for');
      await page.getByRole('button', { name: 'Sign in and accept' }).click();
      await enterName(page);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await heading(page, 'Welcome');
      const [user] = await usersOf(email);
      assert.equal(
        await countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [
          inviting.tenant,
          user?.id,
        ]),
        1,
      );
    });

    test('a disabled provider rejects the sign-in, with a helpful message that reveals nothing else', async () => {
      const { home, provider, email } = await provide();
      await save(home, { ID: provider.ID, Active: false });
      const page = await browser.newPage();
      const response = await page.goto(loginUrl(stack, provider));
      assert.equal(response?.status(), 403);
      assert.match(await page.locator('main').innerText(), /This way to sign in is switched off/);
      await assertAccessible(page);
      await photograph(page, 'sso-switched-off');
      assert.deepEqual(await usersOf(email), []);
      assert.equal((await page.context().cookies()).length, 0);
    });

    test('a user who cancels at the provider gets a message and can retry', async () => {
      const { home, email } = await provide();
      const page = await begin(email);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(/has refused you, or you have cancelled it/).waitFor();
      await assertAccessible(page);
      await photograph(page, 'sso-cancelled');
      assert.equal(await page.getByRole('link', { name: 'Back to the sign-in page' }).count(), 1);
      const { items } = await readList<{ UserID: string }>(
        stack,
        'TenantMembers_List',
        { Tenant: home.tenant },
        home.owner.token,
      );
      assert.equal(items.length, 1);
      const answers: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/callback?')) answers.push(request.url());
      });
      await page.getByRole('link', { name: 'Try again' }).click();
      await enterName(page);
      await assertSignedIn(page, email);
      const opened = await page.goto(answers.at(-1) ?? '');
      assert.equal(opened?.status(), 200);
      await assertSignedIn(page, email);
    });

    test('two tabs sign in concurrently', async () => {
      const { email } = await provide();
      const first = await begin(email);
      const second = await begin(email, await first.context().newPage());
      await enterName(second);
      await assertSignedIn(second, email);
      await enterName(first);
      await assertSignedIn(first, email);
    });

    test('a domain that requires SSO rejects a password', async () => {
      const { home } = await provide();
      const person = `carol@${home.domain}`;
      bodyOf(
        await stack.call(
          'Users_Create',
          { User: { Email: person }, Password: 'correct horse battery' },
          stack.platformKey,
        ),
      );
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
      const page = await browser.newPage();
      // The page sends the user to the provider before it asks for a password. The operation also
      // rejects the password.
      await page.route('**/Sso_Check', (route) => route.fulfill({ json: { Redirect: '' } }));
      await page.goto(`${stack.url}/login`);
      await signIn(page, person, 'correct horse battery');
      await hears(page, /sign in with your organisation/i);
      await assertAccessible(page);
      await photograph(page, 'sso-required');
      assert.equal((await page.context().cookies()).length, 0);
    });
  });

  test('an owner signs in with a password while the SSO requirement is lifted', async () => {
    const home = await createHome(stack);
    const Email = `owner@${home.domain}`;
    const { User } = bodyOf(
      await stack.call(
        'Users_Create',
        { User: { Email }, Password: 'correct horse battery' },
        stack.platformKey,
      ),
    ) as unknown as {
      User: { ID: string };
    };
    bodyOf(
      await stack.call(
        'TenantMembers_Add',
        { Tenant: home.tenant, UserID: User.ID },
        stack.platformKey,
      ),
    );
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant: home.tenant, UserID: User.ID, Role: 'owner' } },
        home.owner.token,
      ),
    );
    await saveProvider(stack, home, {
      ...oidcOf(`${stack.inboxUrl}/hooks/away`),
      TokenAuthMethod: 'none',
    });
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
    bodyOf(await stack.call('Sso_LiftRequirement', { Tenant: home.tenant }, stack.platformKey));
    const page = await browser.newPage();
    await page.goto(`${stack.url}/login`);
    await page.getByLabel('E-mail address').fill(Email);
    await page.getByRole('button', { name: 'Use a password instead' }).click();
    await photograph(page, 'sso-password-instead');
    await assertAccessible(page);
    await enterPassword(page, 'correct horse battery');
    await assertSignedIn(page, Email);
  });
});
