import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { type Github, startGithub } from '../support/github.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { appPage } from './application-page.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading, hears, signIn } from './sign-in.ts';

// Users of an application on another origin who sign in with a button of the sign-in page.

describe('the buttons of the sign-in page', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let github: Github;
  let app: string;
  let base: string;
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(appPage(base)),
  );
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    const environment = {
      BAILIWICK_PUBLIC_URL: base,
      BAILIWICK_ALLOWED_ORIGINS: app,
      BAILIWICK_LIMITS: 'off',
    };
    github = await startGithub({ clientId: 'bailiwick', secret: 'a secret' });
    stack = await startStack('one process', environment, { ports });
    for (const Name of ['GitHub', 'Second <b>"&amp;'])
      bodyOf(
        await stack.call(
          'Sso_SaveProvider',
          { Provider: { Name, ...github.provider }, Secret: 'a secret' },
          stack.platformKey,
        ),
      );
    browser = await openBrowser();
  });
  after(async () => {
    server.close();
    await Promise.all([browser?.close(), stack?.stop(), github?.stop()]);
  });
  const addressFor = (target: string) => `${base}/login?return_to=${encodeURIComponent(target)}`;

  /** Clicks the button, and authorizes at the provider. */
  async function continueWith(page: Page, login: string): Promise<void> {
    await page.getByRole('link', { name: 'Continue with GitHub' }).click();
    await page.getByLabel('Name').fill(login);
    await page.getByRole('button', { name: 'Authorize' }).click();
  }
  const setUser = (login: string, email: string) =>
    github.setUser(login, {
      id: `id of ${login}`,
      name: login,
      emails: [{ email, primary: true, verified: true }],
    });

  test('lead from an application on another origin to its code', async () => {
    const email = newAddress('social');
    setUser('ada', email);
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back?state=5f1c`));
    await page.getByRole('link', { name: 'Continue with GitHub' }).waitFor();
    assert.deepEqual(await page.locator('#providers a').allTextContents(), [
      'Continue with GitHub',
      'Continue with Second <b>"&amp;',
    ]);
    await assertAccessible(page);
    await photograph(page, 'login-buttons');
    await continueWith(page, 'ada');
    await heading(page, `Hello ${email}`);
    const back = new URL(page.url());
    assert.deepEqual([back.origin, back.searchParams.get('state')], [app, '5f1c']);
    // The application has the session. The provider knows the user the next time.
    await page.goto(addressFor(`${app}/again`));
    await continueWith(page, 'ada');
    await page.waitForURL(/\/again/);
    await heading(page, `Hello ${email}`);
    await page.context().close();
  });

  test('lead a user who has an account to its password once, then straight to the application', async () => {
    const { email } = await signUp(stack);
    setUser('grace', email);
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await continueWith(page, 'grace');
    await page.getByText('You have an account with this e-mail address already.').waitFor();
    await assertAccessible(page);
    await photograph(page, 'login-linking');
    await signIn(page, email, password);
    await heading(page, `Hello ${email}`);
    await page.context().close();
    const later = await browser.newPage();
    await later.goto(addressFor(`${app}/back`));
    await continueWith(later, 'grace');
    await heading(later, `Hello ${email}`);
    await later.context().close();
  });

  test('lead without an address to return to as a password does: to the application of the tenant', async () => {
    const [single, several] = [await signUp(stack), await signUp(stack)];
    const tenantOf = async (owner: typeof single, path: string) => {
      const ID = await createTenant(stack, owner.token, path);
      const Settings = { AppURL: `${app}/${path}` };
      bodyOf(
        await stack.call('Tenants_Update', { Tenant: { ID, Name: path, Settings } }, owner.token),
      );
      return ID;
    };
    await tenantOf(single, 'acme');
    for (const path of ['one', 'two']) await tenantOf(several, path);
    setUser('single', single.email);
    setUser('several', several.email);
    // With the password that links the provider, and the next time without.
    for (const linked of [false, true]) {
      const page = await browser.newPage();
      await page.goto(`${base}/login`);
      await continueWith(page, 'single');
      if (!linked) await signIn(page, single.email, password);
      await heading(page, `Hello ${single.email}`);
      assert.equal(new URL(page.url()).pathname, '/acme');
      // The way back shows the account and leads nowhere by itself.
      await page.goBack();
      await heading(page, 'You are signed in');
      assert.equal(new URL(page.url()).searchParams.has('signed_in'), false);
      await page.context().close();
    }
    const page = await browser.newPage();
    await page.goto(`${base}/login`);
    await continueWith(page, 'several');
    await signIn(page, several.email, password);
    await heading(page, 'You are signed in');
    await page.goto(`${base}/login?tenant=none`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await hears(page, /signed out/);
    await page.getByRole('link', { name: 'Continue with GitHub' }).waitFor();
    await continueWith(page, 'several');
    await page.getByRole('button', { name: 'Continue with two' }).click();
    await heading(page, `Hello ${several.email}`);
    assert.equal(new URL(page.url()).pathname, '/two');
    await page.context().close();
  });

  test('a user who signs in to another account reads that nothing was linked', async () => {
    const owner = await signUp(stack);
    const other = await signUp(stack);
    setUser('alan', owner.email);
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await continueWith(page, 'alan');
    await signIn(page, other.email, password);
    await hears(page, /another account than the one with the address/);
    await heading(page, 'You are signed in');
    await photograph(page, 'login-not-linked');
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, `Hello ${other.email}`);
    await page.context().close();
  });

  test('a user who was signed in before signs in once more to link', async () => {
    const { email } = await signUp(stack);
    setUser('joan', email);
    const page = await browser.newPage();
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await heading(page, 'You are signed in');
    await page.goto(
      `${await page.evaluate(async () => {
        const answer = await fetch('Sso_ListSocialProviders', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        });
        const { Providers } = (await answer.json()) as { Providers: Array<{ LoginURL: string }> };
        return Providers[0]?.LoginURL ?? '';
      })}?return_to=${encodeURIComponent(`${app}/back`)}`,
    );
    await page.getByLabel('Name').fill('joan');
    await page.getByRole('button', { name: 'Authorize' }).click();
    await hears(page, /Sign in once more/);
    await signIn(page, email, password);
    await heading(page, `Hello ${email}`);
    await page.context().close();
  });

  test('a user who cancels at the provider reads what to do, and gets back to the sign-in page', async () => {
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await continueWith(page, '');
    await page.getByText('you have cancelled the sign-in').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Back to the sign-in page' }).click();
    await page.getByRole('link', { name: 'Continue with GitHub' }).waitFor();
    await page.context().close();
  });
});
