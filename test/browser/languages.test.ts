import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { shippedLocales } from '@bailiwick/texts';
import axe, { type RunOptions } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { breachedPassword, breachedPasswords } from '../support/breached.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, mailTo, newAddress, password, signUp } from '../support/people.ts';
import { addTotp, totp, wrongTotp } from '../support/totp.ts';
import { appPage } from './application-page.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading, hears, signIn } from './sign-in.ts';

// Every page in every language, and the ways between the pages.

/** The pages, and those for a signed-in user. */
const pages = ['login', 'login?register=1', 'reset', 'verify', 'invitation', 'signed-out'];
const pagesOfUsers = ['login', 'factors', 'passkeys', 'signed-out'];
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const contrast: RunOptions['runOnly'] = { type: 'rule', values: ['color-contrast'] };

describe('the pages in all languages', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let app: string;
  let base: string;
  let email: string;
  let token: string;
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(appPage(base)),
  );
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ports = await choosePorts();
    base = `http://localhost:${ports.gateway.rpc}/iam`;
    const environment = {
      BAILIWICK_PUBLIC_URL: base,
      BAILIWICK_ALLOWED_ORIGINS: app,
      BAILIWICK_APP_URL: `${app}/start`,
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_BREACHED_PASSWORDS: breachedPasswords,
      // Where it is on, it has the pages of factors and passkeys.
      BAILIWICK_CONSOLE: 'false',
    };
    stack = await startStack('one process', environment, { ports });
    browser = await openBrowser();
    ({ email, token } = await signUp(stack));
    await createTenant(stack, token, 'Acme');
  });
  after(async () => {
    server.close();
    await browser?.close();
    await stack?.stop();
  });
  const addressFor = (target: string) => `${base}/login?return_to=${encodeURIComponent(target)}`;

  /** Asserts that a page is accessible and complete at one width, and saves a picture of it. */
  async function assertGood(
    page: Page,
    name: string,
    width: number,
    runOnly: RunOptions['runOnly'] = rules,
  ): Promise<void> {
    await page.setViewportSize({ width, height: 720 });
    const { violations } = await page.evaluate<axe.AxeResults>(
      `axe.run(document, ${JSON.stringify({ runOnly })})`,
    );
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`),
      [],
      `${name} ${width}`,
    );
    // Nothing is wider than the screen, nor than the element around it.
    assert.deepEqual(
      await page.evaluate(
        `[...document.querySelectorAll('body, main, main *, footer *')].filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline').map((one) => one.outerHTML)`,
      ),
      [],
      `${name} ${width}`,
    );
    const folder = process.env['BAILIWICK_ARTIFACTS'];
    if (folder)
      await page.screenshot({ path: path.join(folder, `${name}-${width}.png`), fullPage: true });
  }

  async function openAll(context: BrowserContext, names: readonly string[], kind: string) {
    const page = await context.newPage();
    for (const locale of shippedLocales)
      for (const name of names) {
        await page.goto(`${base}/${name}${name.includes('?') ? '&' : '?'}ui_locale=${locale}`);
        await page.locator('main:not([aria-busy=true])').waitFor();
        await page.locator('main :is(form, section):not([hidden])').first().waitFor();
        assert.equal(await page.locator('html').getAttribute('lang'), locale);
        await page.evaluate(axe.source);
        const label = `${kind}-${locale}-${name.replace(/\?.*/, (search) => (search ? '-new' : ''))}`;
        await page.emulateMedia({ colorScheme: 'light' });
        // 640 px at a zoom of 200 % are 320 px.
        await assertGood(page, `${label}-light`, 320);
        await page.emulateMedia({ colorScheme: 'dark' });
        // The only rule that depends on colours.
        await assertGood(page, `${label}-dark`, 1280, contrast);
      }
    await page.close();
  }

  test('every page is accessible and complete in every language, for visitors and users', async () => {
    const visitor = await browser.newPage();
    await openAll(visitor.context(), pages, 'visitor');
    const user = await browser.newPage();
    await user.goto(`${base}/login?return_to=/factors`);
    await signIn(user, email, password);
    await user.waitForURL('**/factors');
    await openAll(user.context(), pagesOfUsers, 'user');
    for (const page of [visitor, user]) await page.context().close();
  });

  test('the language of the address stays on the way through the pages, and the switch keeps the rest', async () => {
    const page = await browser.newPage({ locale: 'fr-CA' });
    await page.goto(addressFor(`${app}/back?state=1`));
    await heading(page, 'Se connecter');
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await heading(page, 'Anmelden');
    assert.equal(new URL(page.url()).searchParams.get('return_to'), `${app}/back?state=1`);
    await page.getByLabel('E-Mail-Adresse').fill(email);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await page.getByLabel('Passwort', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await hears(page, /^Die Adresse oder das Passwort ist falsch\./);
    // Pages without the parameter, and the error page of a sign-in.
    await page.goto(`${base}/reset#token=bwkp_a&proof=b`);
    await heading(page, 'Wählen Sie ein neues Passwort');
    await page.getByRole('link', { name: '日本語' }).click();
    await heading(page, '新しいパスワードの設定');
    assert.equal(await page.locator('#asked').isHidden(), true, 'the token is still there');
    await page.getByLabel('新しいパスワード').fill('short');
    await page.getByRole('button', { name: 'パスワードを設定する' }).click();
    await hears(page, /8 文字以上/);
    await page.goto(`${base}/auth/tnt_a/sso_a/login`);
    await heading(page, 'サインインできませんでした');
    await page.getByText('このサインインアドレスは無効です。').waitFor();
    await page.context().close();
  });

  test('the pages are in the language of the signed-in user, until the user signs out', async () => {
    const user = await signUp(stack);
    bodyOf(await stack.call('Account_Update', { User: { Locale: 'ja' } }, user.token));
    const page = await browser.newPage();
    await page.goto(`${base}/login?return_to=/factors`);
    await signIn(page, user.email, password);
    await heading(page, 'Your authenticator apps');
    await page.goto(`${base}/login`);
    await heading(page, 'You are signed in');
    await page.reload();
    await heading(page, 'サインインしています');
    await page.getByRole('button', { name: 'サインアウト' }).click();
    await hears(page, /サインアウトしました/);
    await page.reload();
    await heading(page, 'Sign in');
    await page.context().close();
  });

  test('a visitor registers from the sign-in page, and comes to the application', async () => {
    const page = await browser.newPage();
    const address = newAddress();
    await page.goto(addressFor(`${app}/back`));
    await page.getByRole('button', { name: 'Create an account' }).click();
    await heading(page, 'Create an account');
    await page.getByText('At least 8 characters').waitFor();
    await page.getByText('Passwords from known data breaches are refused').waitFor();
    await page.getByLabel('E-mail address').fill(address);
    await page.getByLabel('Password').fill('password');
    await page.getByRole('button', { name: 'Show password' }).click();
    assert.equal(await page.getByLabel('Password').getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await hears(page, /most common passwords/);
    assert.equal(await page.getByLabel('Password').getAttribute('type'), 'password');
    await page.getByLabel('Password').fill(breachedPassword);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await hears(page, /known from a data breach/);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
    const { Links } = await mailTo(stack, address);
    const verify = await page.context().newPage();
    await verify.goto(Links.find((link) => link.startsWith(`${base}/verify`)) ?? '');
    await verify.getByRole('button', { name: 'Verify my address' }).click();
    await hears(verify, /is verified/);
    await page.getByRole('button', { name: 'I have confirmed it' }).click();
    await heading(page, `Hello ${address}`);
    assert.equal(new URL(page.url()).pathname, '/back');
    await page.context().close();
  });

  test('a user whose tenant requires a factor adds one, and then comes to the application', async () => {
    const user = await signUp(stack);
    const ID = await createTenant(stack, user.token, 'Acme');
    const settings = { ID, Name: 'Acme', Settings: { RequireFactor: 'any' } };
    bodyOf(await stack.call('Tenants_Update', { Tenant: settings }, stack.platformKey));
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back?state=7`));
    await signIn(page, user.email, password);
    await page.getByText('Acme requires a second factor.').waitFor();
    // The session goes on: a second visit asks again.
    await page.goto(addressFor(`${app}/back?state=7`));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Acme requires a second factor.').waitFor();
    await page.evaluate(axe.source);
    await assertGood(page, 'enrol', 320);
    await page.getByRole('link', { name: 'Add an authenticator app' }).click();
    // The way back still leads to the application.
    await page.getByRole('link', { name: 'Back to your account' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Add an authenticator app' }).click();
    await page.getByLabel('Name of a new app').fill('Phone');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Scan this code with the app' }).waitFor();
    const secret = (await page.locator('#key').innerText()).replace(/\s/g, '');
    await page.getByLabel('Code that the app shows').fill(totp(secret));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, `Hello ${user.email}`);
    assert.equal(new URL(page.url()).search.includes('state=7'), true);
    await page.context().close();
  });

  test('a user with a factor proves it in the open session, and comes to the application', async () => {
    const user = await signUp(stack);
    const page = await browser.newPage();
    await page.goto(`${base}/login?return_to=/factors`);
    await signIn(page, user.email, password);
    await heading(page, 'Your authenticator apps');
    // Since then the user has added an app elsewhere, and the tenant requires a factor.
    const { secret } = await addTotp(stack, user.token);
    const ID = await createTenant(stack, user.token, 'Acme');
    const settings = { ID, Name: 'Acme', Settings: { RequireFactor: 'any' } };
    bodyOf(await stack.call('Tenants_Update', { Tenant: settings }, stack.platformKey));
    await page.goto(addressFor(`${app}/back`));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 2, name: 'One more step' }).waitFor();
    await page.getByLabel('Code from your authenticator app').fill(wrongTotp(secret));
    await page.keyboard.press('Enter');
    await hears(page, /code is wrong/);
    await page.getByLabel('Code from your authenticator app').fill(totp(secret));
    await page.keyboard.press('Enter');
    await heading(page, `Hello ${user.email}`);
    await page.context().close();
  });

  test('a user who has signed out finds the way back to the application', async () => {
    const page = await browser.newPage();
    await page.goto(`${base}/login?return_to=/signed-out`);
    await signIn(page, email, password);
    await page.getByText(`You are still signed in here as ${email}.`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are signed out');
    assert.equal(
      await page.getByRole('link', { name: 'Continue to the application' }).getAttribute('href'),
      `${app}/start`,
    );
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await signIn(page, email, password);
    await heading(page, `Hello ${email}`);
    await page.context().close();
  });

  test('a user of several tenants chooses the application of one', async () => {
    const user = await signUp(stack);
    for (const name of ['One', 'Two']) {
      const ID = await createTenant(stack, user.token, name);
      const Settings = { AppURL: `${app}/${name}` };
      bodyOf(
        await stack.call('Tenants_Update', { Tenant: { ID, Name: name, Settings } }, user.token),
      );
    }
    const page = await browser.newPage();
    await page.goto(`${base}/login`);
    await signIn(page, user.email, password);
    await heading(page, 'You are signed in');
    await page.evaluate(axe.source);
    await assertGood(page, 'choose', 320);
    await page.getByRole('button', { name: 'Continue with Two' }).click();
    await heading(page, `Hello ${user.email}`);
    assert.equal(new URL(page.url()).pathname, '/Two');
    await page.context().close();
  });

  test('measured: the sign-in page loads', async (t) => {
    const page = await browser.newPage();
    await page.goto(`${base}/login?ui_locale=de`);
    await page.locator('#entry').waitFor();
    const measured = await page.evaluate<Record<string, number>>(`(() => {
      const [navigation] = performance.getEntriesByType('navigation');
      const paint = performance.getEntriesByName('first-contentful-paint')[0];
      const files = performance.getEntriesByType('resource').filter(({ name }) => /\\/pages\\/[^/]*$/.test(name));
      return {
        firstPaintMs: Math.round(paint?.startTime ?? 0),
        loadMs: Math.round(navigation.loadEventEnd),
        pageBytes: navigation.encodedBodySize,
        files: files.length,
        fileBytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      };
    })()`);
    t.diagnostic(JSON.stringify(measured));
    assert.ok((measured['pageBytes'] ?? 0) + (measured['fileBytes'] ?? 0) <= 30_000);
    await page.context().close();
  });
});
