import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ask, createApp, exchange, relyOn } from '../sso/issuer/stage.ts';
import { bodyOf } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { pngOf } from '../support/images.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, mailsTo, mailTo, newAddress, password, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { addTotp, totp, wrongTotp } from '../support/totp.ts';
import { appPage } from './application-page.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { enterPassword, focusedId, heading, hears, signIn } from './sign-in.ts';

// An application on another origin sends its users to the sign-in page, and gets them back.

describe('an application that sends its users to the sign-in page', {
  skip: withoutChromium,
}, () => {
  let stack: Stack;
  let browser: Browser;
  let app: string;
  let base: string;
  let email: string;
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
      BAILIWICK_APP_URL: `${app}/start`,
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_EMAIL_CODES: 'on',
    };
    stack = await startStack('one process', environment, { ports });
    browser = await openBrowser();
    ({ email } = await signUp(stack));
  });
  after(async () => {
    server.close();
    await browser?.close();
    await stack?.stop();
  });
  const addressFor = (target: string) => `${base}/login?return_to=${encodeURIComponent(target)}`;

  test('the metadata of the public URL are below its path, and where the standards put them', async () => {
    const { origin, pathname } = new URL(base);
    for (const address of [
      `${base}/.well-known/openid-configuration`,
      `${base}/.well-known/oauth-authorization-server`,
      `${origin}/.well-known/oauth-authorization-server${pathname}`,
    ]) {
      const response = await fetch(address);
      assert.equal(response.status, 200, address);
      assert.equal(((await response.json()) as { issuer: string }).issuer, base, address);
    }
    const other = await fetch(`${origin}/.well-known/oauth-authorization-server/other`);
    assert.equal(other.status, 404);
    const authzen = await fetch(`${origin}/.well-known/authzen-configuration${pathname}`);
    assert.equal(authzen.status, 200);
  });

  test('a user with a password comes back signed in, and the second time with one click', async () => {
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back?state=5f1c`));
    await signIn(page, email, password);
    await heading(page, `Hello ${email}`);
    const back = new URL(page.url());
    assert.deepEqual([back.origin, back.searchParams.get('state')], [app, '5f1c']);
    await page.goto(addressFor(`${app}/again`));
    await heading(page, 'You are signed in');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, `Hello ${email}`);
    assert.equal(new URL(page.url()).pathname, '/again');
    await page.context().close();
  });

  test('a user without an address to return to goes to the default application', async () => {
    const page = await browser.newPage();
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await heading(page, `Hello ${email}`);
    assert.equal(new URL(page.url()).pathname, '/start');
    await page.context().close();
  });

  test('a user comes back with a mailed code instead of the password', async () => {
    const user = await signUp(stack);
    const already = (await mailsTo(stack, user.email)).length;
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await page.getByLabel('E-mail address').fill(user.email);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mail me a code instead' }).click();
    await page.getByRole('heading', { level: 2, name: 'Enter the code' }).waitFor();
    assert.equal(await focusedId(page), 'mailed-code');
    await assertAccessible(page);
    await photograph(page, 'login-mailed-code');
    await page.keyboard.press('Enter');
    await hears(page, /Enter the code from the mail/);
    await page.keyboard.type('AAAAAAAA');
    await page.keyboard.press('Enter');
    await hears(page, /code is wrong/);
    assert.equal(await page.locator('#mailed-code').getAttribute('aria-invalid'), 'true');
    await page.getByRole('button', { name: 'Send the mail again' }).click();
    // The page clears the field.
    await hears(page, /sent again/);
    const { Text } = await mailTo(stack, user.email, already + 2);
    await page.locator('#mailed-code').fill(/\b[A-HJ-NP-Z2-9]{8}\b/.exec(Text)?.[0] ?? '');
    await page.keyboard.press('Enter');
    await heading(page, `Hello ${user.email}`);
    await page.context().close();
  });

  test('a user with an authenticator app comes back after the code, and after a recovery code', async () => {
    const user = await signUp(stack);
    const { secret } = await addTotp(stack, user.token);
    const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, user.token)) as {
      Codes: string[];
    };
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await signIn(page, user.email, password);
    await page.getByRole('heading', { level: 2, name: 'One more step' }).waitFor();
    assert.equal(await focusedId(page), 'totp');
    await assertAccessible(page);
    await photograph(page, 'login-second-factor');
    await page.keyboard.type('12345');
    await page.keyboard.press('Enter');
    await hears(page, /six digits/);
    await page.getByLabel('Code from your authenticator app').fill(wrongTotp(secret));
    await page.keyboard.press('Enter');
    await hears(page, /code is wrong/);
    assert.equal(await page.locator('#totp').getAttribute('aria-invalid'), 'true');
    const code = totp(secret);
    await page
      .getByLabel('Code from your authenticator app')
      .fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await page.keyboard.press('Enter');
    await heading(page, `Hello ${user.email}`);
    await page.context().close();

    const other = await browser.newPage();
    await other.goto(addressFor(`${app}/back`));
    await signIn(other, user.email, password);
    await other.getByRole('button', { name: 'Use a recovery code instead' }).click();
    assert.equal(await focusedId(other), 'recovery');
    await assertAccessible(other);
    await photograph(other, 'login-recovery-code');
    await other.getByLabel('Recovery code', { exact: true }).fill(Codes[0] ?? '');
    await other.getByRole('button', { name: 'Continue' }).click();
    await heading(other, `Hello ${user.email}`);
    await other.context().close();
  });

  test('a user whose challenge is void starts again with the password', async () => {
    const user = await signUp(stack);
    const { secret } = await addTotp(stack, user.token);
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await signIn(page, user.email, password);
    await page.locator('#totp').waitFor();
    await rowsOf(stack, 'delete from identity.login_challenge where user_id = $1', [user.id]);
    await page.locator('#totp').fill(totp(secret));
    await page.keyboard.press('Enter');
    await hears(page, /Sign in again/);
    await enterPassword(page, password);
    await page.locator('#totp').fill(totp(secret));
    await page.keyboard.press('Enter');
    await heading(page, `Hello ${user.email}`);
    await page.context().close();
  });

  test('a user whose address is not allowed stays, signed in, and reads why', async () => {
    const page = await browser.newPage();
    await page.goto(addressFor('http://127.0.0.1:9/elsewhere'));
    await signIn(page, email, password);
    await hears(page, /address to return to is not allowed/);
    await heading(page, 'You are signed in');
    assert.ok(page.url().startsWith(`${base}/login`));
    await page.context().close();
  });

  test('a user reads which of the tenants is suspended, and has no way into it', async () => {
    const user = await signUp(stack);
    const Tenant = await createTenant(stack, user.token, 'Acme');
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    const page = await browser.newPage();
    await page.goto(addressFor(`${app}/back`));
    await signIn(page, user.email, password);
    await heading(page, `Hello ${user.email}`);
    await page.goto(`${base}/login`);
    const entry = page.getByRole('listitem').filter({ hasText: /^Acme is suspended\.$/ });
    await entry.waitFor();
    assert.equal(await entry.getByRole('button').count(), 0);
    await assertAccessible(page);
    await photograph(page, 'login-suspended');
    await page.context().close();
  });

  test('a user who registers on a Japanese page gets a Japanese mail', async () => {
    const address = newAddress('japanese');
    const page = await browser.newPage();
    await page.goto(`${addressFor(`${app}/back`)}&register=1&ui_locale=ja`);
    await page.locator('#email').fill(address);
    await page.locator('#password').fill(password);
    await page.keyboard.press('Enter');
    await page.locator('#confirm').waitFor();
    const { Subject, Links } = await mailTo(stack, address);
    assert.equal(Subject, 'メールアドレスの確認');
    await page.goto(Links[0] ?? '');
    await heading(page, 'メールアドレスの確認');
    await page.context().close();
  });

  test('a user allows an app with OpenID Connect on the consent page, and comes back with a code', async () => {
    const user = await signUp(stack);
    const redirect_uri = `${app}/callback`;
    const clientApp = await createApp(stack, {
      RedirectURIs: [redirect_uri],
      RequireConsent: true,
    });
    const App = { ID: clientApp.ID, Name: 'Reports' };
    const Logo = pngOf([28, 79, 194]).toString('base64');
    bodyOf(await stack.call('Apps_Save', { App, Logo }, stack.platformKey));
    const config = await relyOn({ url: base }, clientApp);
    const request = await ask(config, { redirect_uri });
    const page = await browser.newPage();
    await page.goto(request.url.href);
    await signIn(page, user.email, password);
    await heading(page, 'Sign in to Reports?');
    assert.ok(page.url().startsWith(`${base}/oauth/interaction/`));
    assert.equal(await page.evaluate(`document.querySelector('#app-logo img').naturalWidth`), 160);
    await assertAccessible(page);
    await photograph(page, 'consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirect_uri}?**`);
    const arrival = { url: new URL(page.url()), status: 200, text: '' };
    assert.equal((await exchange(config, request, arrival)).claims()?.sub, user.id);
    await page.context().close();
  });

  test('an app whose tenant requires a factor sends the user for it, and gets an answer without it too', async () => {
    const user = await signUp(stack);
    const redirect_uri = `${app}/callback`;
    const Tenant = await createTenant(stack, user.token);
    const clientApp = await createApp(stack, { Tenant, RedirectURIs: [redirect_uri] }, user.token);
    const Settings = { RequireFactor: 'any' };
    bodyOf(
      await stack.call('Tenants_Update', { Tenant: { ID: Tenant, Settings } }, stack.platformKey),
    );
    const config = await relyOn({ url: base }, clientApp);
    const page = await browser.newPage();
    await page.goto((await ask(config, { redirect_uri })).url.href);
    await signIn(page, user.email, password);
    await page.getByText('Acme requires a second factor.').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.waitForURL(`${redirect_uri}?error=access_denied**`);

    const { secret } = await addTotp(stack, user.token);
    const request = await ask(config, { redirect_uri });
    await page.goto(request.url.href);
    await page.locator('#totp').fill(totp(secret));
    await page.keyboard.press('Enter');
    await page.waitForURL(`${redirect_uri}?code=**`);
    const arrival = { url: new URL(page.url()), status: 200, text: '' };
    assert.equal((await exchange(config, request, arrival)).claims()?.acr, 'aal2');
    await page.context().close();
  });

  test('/signed-out says nothing about the session while the service cannot be reached', async () => {
    const page = await browser.newPage();
    // Without a session the page need not ask.
    await page.goto(addressFor(`${app}/back`));
    await signIn(page, email, password);
    await heading(page, `Hello ${email}`);
    await page.route('**/Account_Get', (route) => route.abort());
    await page.goto(`${base}/signed-out?return_to=${encodeURIComponent(`${app}/again`)}`);
    await hears(page, /cannot be reached/);
    await heading(page, 'Your account');
    await assertAccessible(page);
    await page.unroute('**/Account_Get');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await heading(page, 'You are signed in');
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, `Hello ${email}`);
    assert.equal(new URL(page.url()).pathname, '/again');
    await page.context().close();
  });
});
