import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, mailTo, newAddress, password, register, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import {
  continueWith,
  enterPassword,
  focusedId,
  heading,
  hears,
  signIn,
  tabTo,
} from './sign-in.ts';

// The sign-in page, below a path prefix.

const markup = '<img src=x onerror=alert(1)>';

describe('the sign-in page', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    stack = await startStack(
      'five processes',
      { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' },
      { ports },
    );
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  /**
   * Opens the page as a new visitor. Script errors, policy violations and requests to other sites
   * count as problems.
   */
  async function open(search = ''): Promise<Page> {
    const page = await browser.newPage();
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    page.on(
      'console',
      (message) =>
        message.text().includes('Content Security Policy') && problems.push(message.text()),
    );
    page.on(
      'request',
      (request) => request.url().startsWith(`${base}/`) || problems.push(request.url()),
    );
    await page.goto(`${base}/login${search}`);
    await page.locator('#entry').waitFor();
    return page;
  }
  async function assertGood(page: Page, name: string): Promise<void> {
    await assertAccessible(page);
    await photograph(page, `login-${name}`);
  }
  /** The link to a page in the newest of so many mails to an address. */
  async function linkTo(path: string, email: string, mails: number): Promise<string> {
    const link = (await mailTo(stack, email, mails)).Links.find((one) =>
      one.startsWith(`${base}/${path}#token=`),
    );
    assert.ok(link, `no link to ${path} in the mail`);
    return link;
  }
  const sessionsOf = (id: string) => countOf(stack, 'identity.session where user_id = $1', [id]);

  test('Account_Login signs in by address and password, and Account_Logout signs out', async () => {
    const { id, email, token } = await signUp(stack);
    await createTenant(stack, token, markup);
    const before = await sessionsOf(id);
    const page = await open();
    assert.equal(await focusedId(page), 'email');
    await assertGood(page, 'address');
    await continueWith(page, '');
    await hears(page, /^Enter your e-mail address\.$/);
    assert.equal(await page.getByLabel('E-mail address').getAttribute('aria-invalid'), 'true');
    await continueWith(page, 'nobody');
    await hears(page, /^Enter a whole e-mail address, such as name@example\.com\.$/);
    await assertGood(page, 'address-wrong');

    await continueWith(page, ` ${email} `);
    await page.getByLabel('Password').waitFor();
    assert.equal(await focusedId(page), 'password');
    // A password manager can find the account, and the address is not editable.
    const address = page.locator('form [autocomplete~=username]');
    assert.equal(await address.inputValue(), email);
    assert.ok((await address.isVisible()) && !(await address.isEditable()));
    assert.equal(await page.locator('form [autocomplete=current-password]').count(), 1);
    await assertGood(page, 'password');
    await enterPassword(page, '');
    await hears(page, /^Enter your password\.$/);
    await enterPassword(page, password);

    assert.equal(await heading(page, 'You are signed in'), 'You are signed in');
    assert.equal(await page.title(), 'You are signed in · Bailiwick');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    assert.ok(await page.locator('#known').getByText(email, { exact: true }).isVisible());
    assert.deepEqual(await page.getByRole('listitem').allInnerTexts(), [markup]);
    await assertGood(page, 'signed-in');
    assert.equal(await sessionsOf(id), before + 1);
    // The session is in a cookie that no script can read, and the password is stored nowhere.
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite })),
      [{ httpOnly: true, sameSite: 'Lax' }],
    );
    assert.equal(
      await page.evaluate(
        `document.cookie + localStorage.length + sessionStorage.length + document.getElementById('password').value`,
      ),
      '00',
    );

    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await hears(page, /^You are signed out\.$/);
    assert.equal(await sessionsOf(id), before);
    await page.reload();
    await page.getByLabel('E-mail address').waitFor();
  });

  test('the keyboard alone signs in and out', async () => {
    const { email } = await signUp(stack);
    const page = await open();
    await page.keyboard.type('not this one');
    await page.keyboard.press('Enter');
    await hears(page, /whole e-mail address/);
    assert.equal(await focusedId(page), 'email');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await page.getByLabel('Password').waitFor();
    await tabTo(page, 'other');
    await page.keyboard.press('Enter');
    assert.equal(await focusedId(page), 'email');
    await page.keyboard.press('Enter');
    await page.getByLabel('Password').waitFor();
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await heading(page, 'You are signed in');
    await tabTo(page, 'sign-out');
    assert.notEqual(
      await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
      'none',
    );
    await page.keyboard.press('Enter');
    await hears(page, /signed out/);
  });

  test('a wrong password shows an error, and too many show how long to wait', async () => {
    const { email } = await signUp(stack);
    const page = await open();
    await signIn(page, email, 'not the password');
    await hears(page, /^The address or the password is wrong\./);
    assert.equal(await focusedId(page), 'password');
    assert.equal(await page.getByLabel('Password').getAttribute('aria-describedby'), 'outcome');
    await assertGood(page, 'wrong-password');
    // An unknown address gets the same message.
    const stranger = await open();
    await signIn(stranger, newAddress(), 'not the password');
    await hears(stranger, /^The address or the password is wrong\./);
    for (let failures = 1; failures < 5; failures++)
      await stack.call('Account_Login', { Email: email, Password: 'neither this' });
    await enterPassword(page, password);
    await hears(page, /^Too many failed sign-ins: try again in \d\d seconds\.$/);
    await assertGood(page, 'too-many');
  });

  test('a user with an unverified address can request the mail again, and signs in after verifying', async () => {
    const email = newAddress();
    await register(stack, email);
    const page = await open();
    await signIn(page, email, password);
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
    await assertGood(page, 'unverified');
    await page.getByRole('button', { name: 'I have confirmed it' }).click();
    await hears(page, /not confirmed yet/);
    await page.getByRole('button', { name: 'Send the mail again' }).click();
    await hears(page, /was sent again/);
    const verify = await page.context().newPage();
    await verify.goto(await linkTo('verify', email, 2));
    await assertGood(verify, 'verify');
    await verify.getByRole('button', { name: 'Verify my address' }).click();
    await hears(verify, /is verified/);
    await assertGood(verify, 'verified');
    await page.getByRole('button', { name: 'I have confirmed it' }).click();
    await heading(page, 'You are signed in');
    await verify.keyboard.press('Enter');
    await heading(verify, 'You are signed in');
    assert.equal(verify.url(), `${base}/login`);
  });

  test('a forgotten password is reset by mail', async () => {
    const { email } = await signUp(stack);
    const answers = [];
    let page = await open();
    for (const address of [newAddress(), email]) {
      page = await open();
      await continueWith(page, address);
      await page.getByRole('button', { name: 'I have forgotten my password' }).click();
      answers.push(await hears(page, /a mail is on its way/));
    }
    assert.equal(answers[0], answers[1]);
    await assertGood(page, 'forgotten');
    const link = await linkTo('reset', email, 2);
    await page.goto(link);
    await assertGood(page, 'reset');
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Set password' }).click();
    await hears(page, /./);
    assert.equal(await focusedId(page), 'password');
    await assertGood(page, 'reset-weak');
    await page.getByLabel('New password').fill('a brand new phrase');
    await page.getByRole('button', { name: 'Set password' }).click();
    await hears(page, /is changed/);
    await assertGood(page, 'reset-done');
    await page.keyboard.press('Enter');
    await signIn(page, email, 'a brand new phrase');
    await heading(page, 'You are signed in');
    // The link is used: the page offers sign-in.
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill('another new phrase');
    await page.getByRole('button', { name: 'Set password' }).click();
    await hears(page, /no longer valid/);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'You are signed in');
  });

  test('users of a domain with SSO are sent to their provider, and a required SSO rejects the password', async () => {
    const domain = newAddress().replace('@', '.');
    const Tenant = await createTenant(stack, (await signUp(stack)).token);
    const ID = 'sso_01hzzzzzzzzzzzzzzzzzzzzzzz';
    await rowsOf(
      stack,
      `insert into sso.provider (tenant, id, kind, name, active, secret_enc, group_mappings, attribute_map, created_at, updated_at) values ($1, $2, 'oidc', 'a', true, '', '[]', '{}', now(), now())`,
      [Tenant, ID],
    );
    await rowsOf(
      stack,
      `insert into sso.domain (tenant, id, name, status, capture, created_at, updated_at) values ($1, 'dom_1', $2, 'verified', 'off', now(), now())`,
      [Tenant, domain],
    );
    const page = await open('?return_to=%2Fdocs%3Fa%3D1%26b');
    await page.route('**/auth/**', (route) => route.fulfill({ body: 'the organisation' }));
    await continueWith(page, `somebody@${domain}`);
    await page.waitForURL('**/auth/**');
    assert.equal(page.url(), `${base}/auth/${Tenant}/${ID}/login?return_to=%2Fdocs%3Fa%3D1%26b`);
    // The page works again after going back.
    await page.goBack();
    await continueWith(page, newAddress());
    await page.route('**/Account_Login', (route) =>
      route.fulfill({
        status: 403,
        json: {
          Code: 'permission_denied',
          Reason: 'SSO_REQUIRED',
          Messages: ['a text that no page compares'],
        },
      }),
    );
    await enterPassword(page, password);
    await hears(page, /^Sign in with your organisation\.$/);
    await assertGood(page, 'single-sign-on-required');
  });

  test('an unavailable service shows a message, and the user can retry', async () => {
    const { email } = await signUp(stack);
    const page = await open();
    await page.context().setOffline(true);
    await continueWith(page, email);
    await hears(page, /cannot be reached\. Check your connection/);
    await page.context().setOffline(false);
    await signIn(page, email, password);
    await heading(page, 'You are signed in');
  });
});
