import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { createApp, type Relying, relyOn } from '../sso/issuer/stage.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { password, signUp } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading, hears, signIn } from './sign-in.ts';
import { addAuthenticator } from './virtual-authenticator.ts';

// The pages of the device flow, below a path prefix, on a host that passkeys work on.

describe('a device in a browser', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let config: Relying;
  before(async () => {
    const ports = await choosePorts();
    base = `http://localhost:${ports.gateway.rpc}/iam`;
    const environment = {
      BAILIWICK_PUBLIC_URL: base,
      BAILIWICK_LIMITS: 'off',
      // Where it is on, it has the page of passkeys.
      BAILIWICK_CONSOLE: 'false',
    };
    stack = await startStack('one process', environment, { ports });
    browser = await openBrowser();
    const app = await createApp(stack, { Name: 'Television', Kind: 'device', RedirectURIs: [] });
    config = await relyOn({ url: base }, app);
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const begin = () => client.initiateDeviceAuthorization(config, { scope: 'openid email' });

  test('a user enters its code, signs in with a passkey, and allows it', async () => {
    const { email } = await signUp(stack);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    const authenticator = await addAuthenticator(page);
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await page.getByRole('link', { name: 'Your passkeys' }).click();
    await authenticator.approve(true);
    await page.getByLabel('Name of a new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await hears(page, /^The passkey is added/);
    await authenticator.approve(false);
    await page.context().clearCookies();

    const codes = await begin();
    assert.equal(codes.verification_uri, `${base}/device`);
    await page.goto(codes.verification_uri);
    await heading(page, 'Sign in on a device');
    await page.locator('#code:focus').waitFor();
    await assertAccessible(page);
    await photograph(page, 'device-code');
    await page.keyboard.type('BBBB-BBBB');
    await page.keyboard.press('Enter');
    await hears(page, /There is no such code/);
    await page.locator('#code:focus').waitFor();
    await assertAccessible(page);
    await photograph(page, 'device-code-unknown');
    await page.keyboard.type(codes.user_code.toLowerCase().replace('-', ''));
    // The sign-in page asks for a passkey by itself, and the authenticator approves.
    await authenticator.approve(true);
    await page.keyboard.press('Enter');
    await heading(page, 'Sign in to Television?');
    await page.getByText(codes.user_code).waitFor();
    await assertAccessible(page);
    await photograph(page, 'device-confirm');
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Your device is signed in');
    await assertAccessible(page);
    await photograph(page, 'device-allowed');
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0 });
    const claims = tokens.claims();
    assert.deepEqual([claims?.['email'], claims?.acr], [email, 'phishing_resistant']);

    const refused = await begin();
    await page.goto(refused.verification_uri_complete ?? '');
    await heading(page, 'Sign in to Television?');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await heading(page, 'Your device is not signed in');
    await assertAccessible(page);
    await photograph(page, 'device-denied');
    assert.deepEqual(
      problems.filter((text) => text.includes('Content Security Policy')),
      [],
    );
  });

  test('the pages need no script', async () => {
    const { email } = await signUp(stack);
    const page = await browser.newPage({ javaScriptEnabled: false });
    const signedIn = await browser.newPage();
    await signedIn.goto(`${base}/login`);
    await signIn(signedIn, email, password);
    await heading(signedIn, 'You are signed in');
    await page.context().addCookies(await signedIn.context().cookies());
    const codes = await begin();
    await page.goto(codes.verification_uri_complete ?? '');
    assert.equal(await page.getByLabel('Code').inputValue(), codes.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Sign in to Television?');
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Your device is signed in');
  });
});
