import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { inviter, newGuest } from '../support/invitations.ts';
import { choosePorts } from '../support/own-stack.ts';
import { mailTo, newAddress, password, register, signUp, tokenIn } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { focusedId, heading, hears, signIn } from './sign-in.ts';

// The pages of the links in mails: their common behaviour, and how browsers and users treat such
// links.

const pages = [
  { path: 'verify', operation: 'Account_Verify', fields: {}, button: 'Verify my address' },
  {
    path: 'reset',
    operation: 'Account_ResetPassword',
    fields: { 'New password': 'a brand new phrase' },
    button: 'Set password',
  },
  {
    path: 'invitation',
    operation: 'TenantInvitations_Accept',
    fields: { 'E-mail address': 'ada@example.com', Password: 'not the password' },
    button: 'Sign in and accept',
  },
];

async function fillIn(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
}

describe('the pages of the links in mails', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    const environment = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stack = await startStack('one process', environment, { ports });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  for (const { path, fields, button } of pages)
    test(`/${path} shows errors with the sign-in page’s texts`, async () => {
      const page = await browser.newPage();
      await page.goto(`${base}/${path}#token=any`);
      await fillIn(page, fields);
      const send = () => page.getByRole('button', { name: button }).click();
      await page.context().setOffline(true);
      await send();
      await hears(
        page,
        /^The service cannot be reached\. Check your connection, and try again in a moment\.$/,
      );
      await page.context().setOffline(false);
      const refuse = (status: number, json: object, headers = {}) =>
        page.route('**/iam/*_*', (route) => route.fulfill({ status, json, headers }), { times: 1 });
      await refuse(500, { Code: 'internal', Messages: ['internal error'] });
      await send();
      await hears(page, /^Something went wrong on our side\. Try again in a moment\.$/);
      await refuse(
        429,
        { Code: 'resource_exhausted', Messages: ['too many requests, try again later'] },
        { 'retry-after': '90' },
      );
      await send();
      await hears(page, /^Too many requests: try again in 90 seconds\.$/);
      // An answer that is not Bailiwick's: a proxy's error for a service that is down.
      await page.route(
        '**/iam/*_*',
        (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }),
        { times: 1 },
      );
      await send();
      await hears(page, /^The service cannot be reached\./);
      await send();
      await hears(
        page,
        path === 'invitation'
          ? /^The address or the password is wrong\./
          : /^The token is no longer valid\.$/,
      );
      assert.equal(await page.locator('main').getAttribute('aria-busy'), 'false');
    });

  for (const path of ['login', 'invitation'])
    test(`/${path} works again after going back from the SSO provider`, async () => {
      const page = await browser.newPage();
      await page.goto(`${base}/${path}#token=any`);
      await page.route('**/Sso_Check', (route) =>
        route.fulfill({ json: { Redirect: `${base}/auth/away` } }),
      );
      // The page stays loaded, as in a browser's back-forward cache.
      await page.route('**/auth/away**', (route) => route.fulfill({ status: 204 }));
      await page.getByLabel('E-mail address').fill('ada@example.com');
      if (path === 'invitation') await page.getByLabel('Password').fill('it is not asked for');
      await page.keyboard.press('Enter');
      await hears(page, /organisation’s sign-in page/);
      assert.equal(await page.locator('main').getAttribute('aria-busy'), 'true');
      await page.evaluate(
        `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
      );
      await page.locator('main:not([aria-busy=true])').waitFor();
      await page.getByLabel('E-mail address').waitFor();
    });

  for (const { path, operation, fields, button } of pages)
    test(`/${path} takes the token of another link opened in its tab`, async () => {
      const page = await browser.newPage();
      await page.goto(`${base}/${path}#token=first`);
      await page.getByRole('button', { name: button }).waitFor();
      // The browser treats this as a fragment of the loaded page.
      await page.goto(`${base}/${path}#token=second`);
      await page.waitForURL(`${base}/${path}`);
      const request = page.waitForRequest(`**/${operation}`);
      await page.route('**/Account_Login', (route) => route.fulfill({ json: {} }));
      await fillIn(page, fields);
      await page.getByRole('button', { name: button }).click();
      assert.equal(((await request).postDataJSON() as { Token: string }).Token, 'second');
    });

  for (const { path, operation, fields, button } of pages)
    test(`/${path} keeps its token when the user leaves and comes back`, async () => {
      const page = await browser.newPage();
      await page.goto(`${base}/${path}#token=a%2Bb`);
      await page.getByRole('button', { name: button }).waitFor();
      const loaded = page.waitForEvent('load');
      await page.evaluate(
        `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
      );
      await loaded;
      await page.waitForURL(`${base}/${path}`);
      const request = page.waitForRequest(`**/${operation}`);
      await page.route('**/Account_Login', (route) => route.fulfill({ json: {} }));
      await fillIn(page, fields);
      await page.getByRole('button', { name: button }).click();
      assert.equal(((await request).postDataJSON() as { Token: string }).Token, 'a+b');
    });

  /** Replaces the contents of the focused field. */
  async function writeOver(page: Page, text: string): Promise<void> {
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  }
  async function assertAsks(page: Page, path: string): Promise<void> {
    await page.goto(`${base}/${path}`);
    await hears(
      page,
      /^This link is incomplete\. Open it again from the mail, or enter the token that the mail shows\.$/,
    );
    assert.equal(await focusedId(page), 'token');
    await assertAccessible(page);
    await photograph(page, `${path}-incomplete`);
  }

  test('/verify asks for the token if its link has none, until it is entered', async () => {
    const email = newAddress();
    await register(stack, email);
    const page = await browser.newPage();
    await assertAsks(page, 'verify');
    await page.keyboard.press('Enter');
    await hears(page, /^Enter the token from the mail\.$/);
    const field = page.getByLabel('Token from the mail');
    assert.deepEqual(
      [
        await focusedId(page),
        await field.getAttribute('aria-invalid'),
        await field.getAttribute('aria-describedby'),
      ],
      ['token', 'true', 'outcome'],
    );
    const token = tokenIn(await mailTo(stack, email));
    await writeOver(page, token.slice(0, -1));
    await page.keyboard.press('Enter');
    await hears(
      page,
      /^There is no such token, or it is no longer valid\. Compare it with the mail\.$/,
    );
    assert.equal(await focusedId(page), 'token');
    await assertAccessible(page);
    await photograph(page, 'verify-no-such-token');
    await writeOver(page, ` ${token} `);
    await page.keyboard.press('Enter');
    await hears(page, /is verified/);
    assert.ok(await field.isHidden());
  });

  test('/reset asks for the token if its link has none, and marks the wrong field', async () => {
    const { email } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const page = await browser.newPage();
    await assertAsks(page, 'reset');
    await page.getByLabel('New password').fill('password1234');
    await page.keyboard.press('Enter');
    await hears(page, /^Enter the token from the mail\.$/);
    assert.equal(await focusedId(page), 'token');
    await writeOver(page, tokenIn(await mailTo(stack, email, 2)));
    await page.keyboard.press('Enter');
    await page.locator('#password[aria-invalid]').waitFor();
    assert.equal(await focusedId(page), 'password');
    assert.equal(await page.getByLabel('Token from the mail').getAttribute('aria-invalid'), null);
    await writeOver(page, 'a brand new phrase');
    await page.keyboard.press('Enter');
    await hears(page, /is changed/);
  });

  test('/invitation asks for the token if its link has none, and keeps typed values during verification by mail', async () => {
    const use = inviter(stack);
    const owner = await signUp(stack);
    const email = newGuest();
    const tenant = await use.tenantOf(owner);
    const token = await use.invite(tenant, email, owner.token);
    const page = await browser.newPage();
    await assertAsks(page, 'invitation');
    await page.getByLabel('No, I create one').check();
    // The last field has the focus, and belongs to the other form.
    await fillIn(page, {
      'E-mail address': email,
      Password: password,
      'Token from the mail': token,
    });
    await page.keyboard.press('Enter');
    await page.locator('#confirm').waitFor();
    await page.goto(`${base}/verify#token=${tokenIn(await mailTo(stack, email, 2))}`);
    await page.getByRole('button', { name: 'Verify my address' }).click();
    await page.getByRole('link', { name: 'Continue with your invitation' }).click();
    await fillIn(page, { 'E-mail address': email, Password: password });
    assert.ok(await page.getByLabel('Token from the mail').isHidden());
    await page.keyboard.press('Enter');
    await heading(page, 'Welcome');
    assert.deepEqual(await use.statuses(tenant), ['accepted']);
  });

  test('/invitation submits a signed-in user’s token on Enter', async () => {
    const { email } = await signUp(stack);
    const page = await browser.newPage();
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await heading(page, 'You are signed in');
    await page.goto(`${base}/invitation`);
    await page.getByRole('button', { name: 'Accept the invitation' }).waitFor();
    await page.getByLabel('Token from the mail').press('Enter');
    await hears(page, /^Enter the token from the mail\.$/);
    await writeOver(page, 'any');
    await page.keyboard.press('Enter');
    await hears(
      page,
      /^There is no such token, or it is no longer valid\. Compare it with the mail\.$/,
    );
  });

  test('/invitation asks again after an invalid token', async () => {
    const page = await browser.newPage();
    await page.goto(`${base}/invitation#token=any`);
    await page.getByRole('button', { name: 'Decline the invitation' }).click();
    await page.getByRole('button', { name: 'Yes, decline' }).click();
    await hears(page, /^The token is no longer valid\.$/);
    await page.reload();
    await page.getByLabel('Token from the mail').waitFor();
  });

  test('Account_ChangeEmail: /verify confirms the new address, and does not mention a new account', async () => {
    const { token } = await signUp(stack);
    const next = newAddress('next');
    await stack.call('Account_ChangeEmail', { Email: next, Password: password }, token);
    const page = await browser.newPage();
    await page.goto(`${base}/verify#token=${tokenIn(await mailTo(stack, next))}`);
    const said = await page.locator('main').innerText();
    await page.getByRole('button', { name: 'Verify my address' }).click();
    assert.doesNotMatch(
      said + (await hears(page, /^Your address is verified\. You can sign in with it now\.$/)),
      /account|ready|welcome/i,
    );
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, next, password);
    await heading(page, 'You are signed in');
  });

  test('if a browser blocks cookies and storage, an address is verified, and the other pages say what to allow', async () => {
    const email = newAddress();
    await register(stack, email);
    const blocking = await openBrowser({ blocksCookies: true });
    try {
      const page = await blocking.newPage();
      const failures: string[] = [];
      page.on('pageerror', ({ message }) => failures.push(message));
      // Firefox blocks this too, Chromium does not.
      await page.addInitScript(
        `BroadcastChannel = class { constructor() { throw new DOMException('', 'SecurityError'); } }`,
      );
      await page.goto(`${base}/verify#token=${tokenIn(await mailTo(stack, email))}`);
      await assert.rejects(async () => page.evaluate('sessionStorage.length'), /Access is denied/);
      await page.getByRole('button', { name: 'Verify my address' }).click();
      await hears(page, /is verified/);
      const onward = page.locator('main').getByRole('link');
      assert.deepEqual(await onward.allInnerTexts(), ['Sign in']);

      const notKept =
        /^Your browser has not kept the sign-in\. Allow cookies for this site, and sign in again\.$/;
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, email, password);
      await hears(page, notKept);
      await page.goto(`${base}/invitation#token=any`);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await hears(page, notKept);
      // The page still has its token.
      await page.getByRole('button', { name: 'Decline the invitation' }).click();
      await page.getByRole('button', { name: 'Yes, decline' }).click();
      await hears(page, /^The token is no longer valid\.$/);
      assert.deepEqual(failures, []);
    } finally {
      await blocking.close();
    }
  });
});
