import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { totp, wrongTotp } from '../support/totp.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { focusedId, heading, hears, signIn } from './sign-in.ts';

// The page on which users manage their authenticator apps, below a path prefix.

describe('the page of authenticator apps', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    stack = await startStack(
      'one process',
      { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off', BAILIWICK_CONSOLE: 'false' },
      { ports },
    );
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  /** Opens the page as a new user, who signs in on the way. */
  async function open() {
    const user = await signUp(stack);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`)) problems.push(request.url());
    });
    await page.goto(`${base}/factors`);
    await signIn(page, user.email, password);
    await heading(page, 'Your authenticator apps');
    return { user, page, problems };
  }
  async function addApp(page: Page, name: string): Promise<string> {
    await page.getByLabel('Name of a new app').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Scan this code with the app' }).waitFor();
    return (await page.locator('#key').innerText()).replace(/\s/g, '');
  }

  test('a user adds an app by its QR code, gets recovery codes, and removes the app', async () => {
    const { page, problems } = await open();
    await page.getByText('You have no authenticator app yet.').waitFor();
    await assertAccessible(page);
    await photograph(page, 'factors-none');
    const secret = await addApp(page, 'Phone');
    assert.equal(await focusedId(page), 'scan-title');
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    await assertAccessible(page);
    await photograph(page, 'factors-scan');
    await page.getByLabel('Code that the app shows').fill(wrongTotp(secret));
    await page.keyboard.press('Enter');
    await hears(page, /code is wrong/);
    await page.getByLabel('Code that the app shows').fill(totp(secret));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    assert.equal(await page.locator('#shown li').count(), 10);
    assert.equal(await page.locator('#key').innerText(), '');
    await assertAccessible(page);
    await photograph(page, 'factors-codes');
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await hears(page, /next sign-in asks for a code/);
    assert.equal(await page.locator('#left').innerText(), '10');
    await assertAccessible(page);
    await photograph(page, 'factors-list');
    await page.getByRole('button', { name: 'Remove: Phone' }).click();
    await page.getByRole('button', { name: 'Keep: Phone' }).click();
    await page.getByRole('button', { name: 'Remove: Phone' }).click();
    await page.getByRole('button', { name: 'Remove for good: Phone' }).click();
    await hears(page, /app is removed/);
    await page.getByText('You have no authenticator app yet.').waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('the links to other languages are hidden while they would lose a secret, codes or a challenge', async () => {
    const { user, page } = await open();
    const assertShown = async (isShown: boolean) =>
      assert.equal(await page.getByRole('link', { name: '日本語' }).isVisible(), isShown);
    await assertShown(true);
    const secret = await addApp(page, 'Phone');
    await assertShown(false);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await assertShown(true);
    const again = await addApp(page, 'Phone');
    assert.notEqual(again, secret);
    await page.getByLabel('Code that the app shows').fill(totp(again));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await assertShown(false);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await hears(page, /next sign-in asks for a code/);
    await assertShown(true);
    await page.goto(`${base}/login?again=1`);
    await signIn(page, user.email, password);
    await page.getByRole('heading', { level: 2, name: 'One more step' }).waitFor();
    await assertShown(false);
    await page.getByRole('button', { name: 'Use another address' }).click();
    await page.getByLabel('E-mail address').waitFor();
    await assertShown(true);
    await page.goto(`${base}/factors?enrol=1`);
    await page.getByRole('link', { name: '日本語' }).click();
    await page.waitForURL(`${base}/factors?enrol=1&ui_locale=ja`);
    await page.context().close();
  });

  test('the account shows which tenant needs a second factor, until the sign-in has one', async () => {
    const { user, page, problems } = await open();
    const ID = await createTenant(stack, user.token);
    const settings = { ID, Name: 'Acme', Settings: { RequireFactor: 'any' } };
    bodyOf(await stack.call('Tenants_Update', { Tenant: settings }, stack.platformKey));
    await page.goto(`${base}/login`);
    const note = page.getByText('Needs a second factor: add an authenticator app or a passkey');
    await note.waitFor();
    await assertAccessible(page);
    await photograph(page, 'login-needs-factor');
    await page.getByRole('link', { name: 'Your authenticator apps' }).click();
    const secret = await addApp(page, 'Phone');
    await page.getByLabel('Code that the app shows').fill(totp(secret));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByRole('link', { name: 'Back to your account' }).click();
    await page.getByText('Acme').waitFor();
    assert.equal(await note.count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a user whose sign-in is too old signs in again and comes back', async () => {
    const { user, page, problems } = await open();
    await rowsOf(
      stack,
      `update identity.session set created_at = now() - interval '16 minutes' where user_id = $1`,
      [user.id],
    );
    await page.getByLabel('Name of a new app').fill('Phone');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(page, user.email, password);
    await heading(page, 'Your authenticator apps');
    await addApp(page, 'Phone');
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
