import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ask, createApp, exchange, relyOn } from '../sso/issuer/stage.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { signIn } from './sign-in.ts';

describe('an application on another site', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let app: string;
  let base: string;
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>'),
  );
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    const environment = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stack = await startStack('one process', environment, { ports });
    browser = await openBrowser();
  });
  after(async () => {
    server.close();
    await browser?.close();
    await stack?.stop();
  });

  test('a form of another site begins a sign-in with the session that there is, and ends it', async () => {
    const user = await signUp(stack);
    const redirect_uri = `${app}/callback`;
    const clientApp = await createApp(stack, {
      RedirectURIs: [redirect_uri],
      PostLogoutRedirectURIs: [`${app}/bye`],
    });
    const config = await relyOn({ url: base }, clientApp);
    const page = await browser.newPage();
    // Another name is another site: a cookie with SameSite=Lax does not come with its POST.
    const other = app.replace('127.0.0.1', 'localhost');
    const post = async (url: URL) => {
      const fields = [...url.searchParams].map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
      );
      const body = `<!doctype html><form method="post" action="${url.origin}${url.pathname}">${fields.join('')}<button>Go</button></form>`;
      await page.route(`${other}/post`, (route) =>
        route.fulfill({ body, contentType: 'text/html' }),
      );
      await page.goto(`${other}/post`);
      await page.getByRole('button', { name: 'Go' }).click();
    };
    await page.goto((await ask(config, { redirect_uri })).url.href);
    await signIn(page, user.email, password);
    await page.waitForURL(`${redirect_uri}?code=**`);

    const request = await ask(config, { redirect_uri });
    await post(request.url);
    await page.waitForURL(`${redirect_uri}?code=**`);
    const arrival = { url: new URL(page.url()), status: 200, text: '' };
    const tokens = await exchange(config, request, arrival);
    assert.equal(tokens.claims()?.sub, user.id);

    const out = new URL(`${base}/oauth/logout`);
    out.search = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: `${app}/bye`,
    }).toString();
    await post(out);
    await page.waitForURL(`${app}/bye**`);
    await page.goto(`${base}/login`);
    await page.getByLabel('E-mail address').waitFor();
    await page.context().close();
  });
});
