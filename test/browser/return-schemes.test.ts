import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type App, createApp } from '../sso/issuer/stage.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { password, signUp } from '../support/people.ts';
import { createAuthority } from '../tls/authority.ts';
import { assertAccessible, type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading, signIn } from './sign-in.ts';

// Browsers apply a page's form-action to the redirects of its forms: with an https issuer, every
// kind of address that an app can register is reached after a consent and after a sign-out.

// The example of RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('the addresses of apps at an https issuer', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let local: string;
  let gateway: URL;
  const app = createServer((_request, response) =>
    response.end('<!doctype html><title>App</title>'),
  );
  let front: ReturnType<typeof createTlsServer>;
  before(async () => {
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    local = `http://localhost:${(app.address() as AddressInfo).port}`;
    front = createTlsServer(await (await createAuthority()).issue(), (incoming, response) => {
      const { method, headers, url } = incoming;
      const onward = httpRequest(new URL(url ?? '/', gateway), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    base = `https://localhost:${(front.address() as AddressInfo).port}`;
    const environment = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stack = await startStack('one process', environment);
    gateway = new URL(stack.url);
    browser = await openBrowser();
  });
  after(async () => {
    app.closeAllConnections();
    app.close();
    front.closeAllConnections();
    front.close();
    await browser?.close();
    await stack?.stop();
  });

  /** The next address of an app that the browser goes to, or a policy's complaint. */
  const leaves = (page: Page, address: string) =>
    new Promise<string>((resolve) => {
      page.on('request', (request) => {
        if (request.url().startsWith(address)) resolve(request.url());
      });
      page.on('console', (message) => {
        if (message.text().includes('form-action')) resolve(message.text());
      });
    });

  async function idTokenFor({ ID, secret }: App, code: string, address: string): Promise<string> {
    const answer = await fetch(`${stack.url}/oauth/token`, {
      method: 'POST',
      headers:
        secret === ''
          ? {}
          : { authorization: `Basic ${btoa(`${ID}:${encodeURIComponent(secret)}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: address,
        code_verifier: verifier,
        ...(secret === '' && { client_id: ID }),
      }),
    });
    return ((await answer.json()) as { id_token?: string }).id_token ?? '';
  }

  const kinds: ReadonlyArray<readonly [name: string, kind: string, address: () => string]> = [
    ['a scheme of a native app', 'native', () => 'com.example.app:/there'],
    [
      'a native app at 127.0.0.1',
      'native',
      () => `${local.replace('localhost', '127.0.0.1')}/there`,
    ],
    ['an app at localhost', 'web', () => `${local}/there`],
    ['an app at https', 'web', () => `${base}/signed-out?there`],
  ];
  for (const [name, Kind, addressOf] of kinds)
    test(`${name} is reached after a consent and after a sign-out`, async () => {
      const address = addressOf();
      const clientApp = await createApp(stack, {
        Kind,
        RedirectURIs: [address],
        PostLogoutRedirectURIs: [address],
        RequireConsent: true,
        Resources: [],
        Scopes: ['openid'],
      });
      const { email } = await signUp(stack);
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      await page.goto(
        `${base}/oauth/authorize?${new URLSearchParams({
          client_id: clientApp.ID,
          redirect_uri: address,
          response_type: 'code',
          scope: 'openid',
          state: 'a-state-of-the-app',
          nonce: 'a-nonce-of-the-app',
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }).toString()}`,
      );
      await signIn(page, email, password);
      await heading(page, 'Sign in to Reports?');
      const comesBack = leaves(page, address);
      await page.getByRole('button', { name: 'Allow' }).click();
      const code = new URL(await comesBack).searchParams.get('code') ?? '';
      const out = new URLSearchParams({
        id_token_hint: await idTokenFor(clientApp, code, address),
        post_logout_redirect_uri: address,
      });
      const tab = await page.context().newPage();
      const signsOut = leaves(tab, address);
      // A browser never ends a navigation to a program of its host.
      void tab.goto(`${base}/oauth/logout?${out.toString()}`).catch(() => undefined);
      assert.ok((await signsOut).startsWith(address), await signsOut);
      await page.context().close();
    });

  test('the page of a sign-out names the sign-out, and so does that of a refused one', async () => {
    const { ID } = await createApp(stack, { RedirectURIs: [`${base}/signed-out`] });
    const { email } = await signUp(stack);
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    await page.goto(`${base}/login`);
    await signIn(page, email, password);
    await heading(page, 'You are signed in');
    const foreign = new URLSearchParams({
      client_id: ID,
      post_logout_redirect_uri: 'https://evil.example/',
    });
    await page.goto(`${base}/oauth/logout?${foreign.toString()}`);
    await heading(page, 'You are not signed out');
    await assertAccessible(page);
  });
});
