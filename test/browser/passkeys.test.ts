import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { password, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { continueWith, enterPassword, heading, hears, signIn } from './sign-in.ts';
import { type Authenticator, addAuthenticator } from './virtual-authenticator.ts';

// Passkeys with Chromium's virtual authenticator, below a path prefix. They need a host name:
// browsers allow localhost.

type Visitor = { page: Page; authenticator: Authenticator };

/** The application's page: a link to the sign-in page, and the user of the code that comes back. */
const appPage = (api: string, app: string) => `<!doctype html><html lang="en"><title>App</title>
<h1>App</h1><a href="${api}/login?return_to=${encodeURIComponent(`${app}/back?state=5f1c`)}">Enter</a>
<script>
  const code = new URLSearchParams(location.search).get('code');
  if (code)
    fetch('${api}/Account_ExchangeCode', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Code: code }),
    })
      .then((answer) => answer.json())
      .then(({ User, Session }) => {
        document.querySelector('h1').textContent = User.Email + ' ' + Session.Assurance;
      });
</script></html>`;

describe('passkeys in a browser', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let app: string;
  let base: string;
  let problems: string[] = [];
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(appPage(base, app)),
  );
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ports = await choosePorts();
    base = `http://localhost:${ports.gateway.rpc}/iam`;
    const environment = {
      BAILIWICK_PUBLIC_URL: base,
      BAILIWICK_ALLOWED_ORIGINS: app,
      BAILIWICK_LIMITS: 'off',
      // Where it is on, it has the page of passkeys.
      BAILIWICK_CONSOLE: 'false',
    };
    stack = await startStack('one process', environment, { ports });
    browser = await openBrowser();
  });
  after(async () => {
    server.close();
    await browser?.close();
    await stack?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  /** A tab with an authenticator. Script errors and policy violations count as problems. */
  async function newVisitor(options: { verifiesUser?: boolean } = {}): Promise<Visitor> {
    const page = await browser.newPage();
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on(
      'console',
      (message) =>
        message.text().includes('Content Security Policy') && problems.push(message.text()),
    );
    return { page, authenticator: await addAuthenticator(page, options) };
  }

  /** Signs in with the password, and adds a passkey on its page. */
  async function addPasskey(
    { page, authenticator }: Visitor,
    email: string,
    name = 'Laptop',
  ): Promise<void> {
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await page.getByRole('link', { name: 'Your passkeys' }).click();
    await heading(page, 'Your passkeys');
    await addHere({ page, authenticator }, name);
  }

  async function addHere({ page, authenticator }: Visitor, name: string): Promise<void> {
    await authenticator.approve(true);
    await page.getByLabel('Name of a new passkey').fill(name);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await hears(page, /^The passkey is added/);
    await authenticator.approve(false);
    await page.getByRole('heading', { level: 2, name: 'Your recovery codes' }).waitFor();
    assert.equal(await page.locator('#shown li').count(), 10);
  }

  const passkeysOf = (id: string) => countOf(stack, 'identity.passkey where user_id = $1', [id]);

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${base}/login`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await hears(page, /signed out/);
  }

  test('a user adds, renames and removes passkeys', async () => {
    const { id, email } = await signUp(stack);
    const visitor = await newVisitor();
    const { page, authenticator } = visitor;
    await page.goto(`${base}/passkeys`);
    await page.waitForURL(`${base}/login?return_to=/passkeys`);
    await signIn(page, email, password);
    await page.waitForURL(`${base}/passkeys`);
    await page.getByText('You have no passkey yet.').waitFor();
    await assertAccessible(page);
    await photograph(page, 'passkeys-none');
    await addHere(visitor, 'My <b>laptop</b>');
    await assertAccessible(page);
    await photograph(page, 'passkeys-codes');
    await page.getByRole('button', { name: 'I have stored them' }).click();
    const [credential] = await authenticator.credentials();
    assert.deepEqual([credential?.rpId, credential?.isResidentCredential], ['localhost', true]);
    await assertAccessible(page);
    await photograph(page, 'passkeys-one');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await hears(page, /^Enter a name/);
    // The authenticator that has a passkey of the user makes no second one.
    await authenticator.approve(true);
    await page.getByLabel('Name of a new passkey').fill('Again');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await hears(page, /^This device has a passkey for your account already\.$/);
    await page.getByRole('button', { name: 'Rename: My <b>laptop</b>' }).click();
    await page.getByLabel('New name').fill('Phone');
    await photograph(page, 'passkeys-rename');
    await page.getByRole('button', { name: 'Save' }).click();
    await hears(page, /^The passkey has a new name\.$/);
    await page.getByRole('button', { name: 'Remove: Phone' }).click();
    await photograph(page, 'passkeys-remove');
    await page.getByRole('button', { name: 'Keep: Phone' }).click();
    assert.equal(await passkeysOf(id), 1);
    await page.getByRole('button', { name: 'Remove: Phone' }).click();
    await page.getByRole('button', { name: 'Remove for good: Phone' }).click();
    await hears(page, /^The passkey is removed/);
    assert.equal(await passkeysOf(id), 0);
    await page.context().close();
  });

  test('a user with a passkey enters an application on another origin with two clicks', async () => {
    const { email } = await signUp(stack);
    const visitor = await newVisitor();
    const { page, authenticator } = visitor;
    await addPasskey(visitor, email);
    await signOut(page);
    await page.goto(app);
    await page.getByRole('link', { name: 'Enter' }).click();
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.waitFor();
    await assertAccessible(page);
    await photograph(page, 'login-passkey');
    await authenticator.approve(true);
    await button.click();
    await heading(page, `${email} phishing_resistant`);
    assert.equal(new URL(page.url()).searchParams.get('state'), '5f1c');
    await page.context().close();
  });

  test('the browser offers passkeys in the address field', async () => {
    const { id, email } = await signUp(stack);
    const visitor = await newVisitor();
    const { page, authenticator } = visitor;
    await addPasskey(visitor, email);
    await signOut(page);
    assert.equal(
      await page.getByLabel('E-mail address').getAttribute('autocomplete'),
      'username webauthn',
    );
    // The authenticator picks the only passkey of the list, if it approves when the page asks.
    await authenticator.approve(true);
    await page.reload();
    await heading(page, 'You are signed in');
    const [row] = await rowsOf<{ auth_method: string }>(
      stack,
      'select auth_method from identity.session where user_id = $1 order by created_at desc limit 1',
      [id],
    );
    assert.equal(row?.auth_method, 'passkey');
    await page.context().close();
  });

  test('a removed passkey, and a user who is not verified, get a message and can sign in otherwise', async () => {
    const { id, email } = await signUp(stack);
    const visitor = await newVisitor();
    const { page, authenticator } = visitor;
    await addPasskey(visitor, email);
    await signOut(page);
    await rowsOf(stack, 'delete from identity.passkey where user_id = $1', [id]);
    await authenticator.approve(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await hears(page, /^This passkey was not accepted\./);
    await authenticator.approve(false);
    await assertAccessible(page);
    await photograph(page, 'login-passkey-refused');
    await signIn(page, email, password);
    await heading(page, 'You are signed in');
    await page.context().close();
  });

  test('the step of the password takes a passkey too, and stays if it is refused', async () => {
    const { id, email } = await signUp(stack);
    const visitor = await newVisitor();
    const { page, authenticator } = visitor;
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await addPasskey(visitor, email);
    await signOut(page);
    await continueWith(page, email);
    await page.getByLabel('Password').waitFor();
    await page.getByRole('button', { name: 'I have forgotten my password' }).waitFor();
    await authenticator.approve(true);
    await button.click();
    await heading(page, 'You are signed in');
    await authenticator.approve(false);
    await signOut(page);
    await rowsOf(stack, 'delete from identity.passkey where user_id = $1', [id]);
    await continueWith(page, email);
    await page.getByLabel('Password').waitFor();
    await authenticator.approve(true);
    await button.click();
    await hears(page, /^This passkey was not accepted\./);
    await enterPassword(page, password);
    await heading(page, 'You are signed in');
    await page.context().close();
  });

  test('after the password the page asks for the passkey, or for a recovery code', async () => {
    const { id, email } = await signUp(stack);
    const visitor = await newVisitor();
    const { page, authenticator } = visitor;
    await addPasskey(visitor, email);
    const code = await page.locator('#shown li').first().innerText();
    await signOut(page);
    await signIn(page, email, password);
    await page.getByText('Use your passkey to go on.').waitFor();
    await assertAccessible(page);
    await photograph(page, 'login-second-passkey');
    await authenticator.approve(true);
    await page.getByRole('button', { name: 'Use your passkey', exact: true }).click();
    await heading(page, 'You are signed in');
    await authenticator.approve(false);
    await signOut(page);
    await signIn(page, email, password);
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'You are signed in');
    const sessions = await rowsOf<{ methods: string }>(
      stack,
      `select auth_method || ' ' || array_to_string(further_methods, ' ') || ' ' || assurance as methods
       from identity.session where user_id = $1 order by created_at desc limit 1`,
      [id],
    );
    assert.deepEqual(sessions, [{ methods: 'password recovery_code aal2' }]);
    await page.context().close();
  });

  test('a user who signed in long ago signs in again before a change, and other sessions go on', async () => {
    const { id, email } = await signUp(stack);
    const { page, authenticator } = await newVisitor();
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await heading(page, 'You are signed in');
    await rowsOf(
      stack,
      "update identity.session set created_at = created_at - interval '1 hour' where user_id = $1",
      [id],
    );
    const before = await countOf(stack, 'identity.session where user_id = $1', [id]);
    await page.goto(`${base}/passkeys`);
    await page.getByLabel('Name of a new passkey').fill('Laptop');
    await authenticator.approve(true);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { level: 2, name: 'Sign in again' }).waitFor();
    await assertAccessible(page);
    await photograph(page, 'passkeys-again');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(page, email, password);
    await page.waitForURL(`${base}/passkeys`);
    await page.getByLabel('Name of a new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await hears(page, /^The passkey is added/);
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [id]), before + 1);
    await page.context().close();
  });

  test('the scripts of the sign-in page are at most 30 KB compressed', async () => {
    const page = await browser.newPage();
    const scripts: Array<Promise<number>> = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js'))
        scripts.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(`${base}/login`);
    await page.getByLabel('E-mail address').waitFor();
    await eventually('the scripts', () => Promise.resolve(scripts.length >= 3));
    const sizes = await Promise.all(scripts);
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 30 * 1024, sizes.join());
    await page.context().close();
  });
});
