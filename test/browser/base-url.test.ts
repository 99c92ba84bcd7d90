import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { Page } from 'playwright-core';
import { type Answer, type Stack, startStack } from '../support/harness.ts';
import { createTenant, mailTo, newAddress, password, signUp, tokenIn } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { hears } from './sign-in.ts';

// A public URL with a path, behind a proxy that forwards the path or strips it. `/auth` and `/docs`
// are also paths of Bailiwick itself.

/** Forwards requests below the prefix, as an ingress does, and answers 404 for all others. */
async function startProxy(prefix: string) {
  let port = 0;
  let isStripped = false;
  const proxy = createServer((incoming, answer) => {
    const address = incoming.url ?? '';
    if (!address.startsWith(`${prefix}/`))
      return void answer.writeHead(404).end('not below the prefix');
    const path = isStripped ? address.slice(prefix.length) : address;
    const onward = request(
      { host: loopback, port, path, method: incoming.method, headers: incoming.headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, loopback, resolve));
  return {
    url: `http://${loopback}:${(proxy.address() as AddressInfo).port}${prefix}`,
    passOnTo: (gatewayPort: number) => (port = gatewayPort),
    stripPrefix: (strips: boolean) => (isStripped = strips),
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

for (const prefix of ['/id', '/auth', '/docs']) {
  describe(`the public URL ends in ${prefix}/`, () => {
    let stack: Stack;
    let base: string;
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    let browser: Browser;
    before(async () => {
      if (!withoutChromium) browser = await openBrowser();
      proxy = await startProxy(prefix);
      base = proxy.url;
      stack = await startStack('one process', {
        BAILIWICK_PUBLIC_URL: `${base}/`,
        BAILIWICK_LIMITS: 'off',
      });
      proxy.passOnTo(stack.wiring.ports.gateway.rpc);
    });
    after(async () => {
      await browser?.close();
      proxy?.close();
      await stack?.stop();
    });

    async function call(
      operation: string,
      body: object,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const options = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      };
      const response = await fetch(`${base}/${operation}`, options);
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Answer['body'],
      };
    }

    /**
     * Asserts that a page, its modules and all pages it links to exist, and that none of them is
     * above the prefix.
     */
    async function assertThere(
      address: string,
      visited = new Set<string>(),
    ): Promise<ReadonlySet<string>> {
      if (visited.has(address)) return visited;
      visited.add(address);
      assert.ok(address.startsWith(`${base}/`), address);
      const answer = await fetch(address);
      assert.equal(answer.status, 200, address);
      const isHtml = answer.headers.get('content-type')?.startsWith('text/html');
      // Pages, and what their scripts import and their styles load.
      const links = isHtml
        ? /\b(?:src|href)="([^"]*)/g
        : /(?:^(?:import|\}) .*from '|\burl\()([^')]*)/gm;
      const names = Array.from((await answer.text()).matchAll(links), ([, name = '']) => name);
      for (const name of names) await assertThere(new URL(name, address).href, visited);
      return visited;
    }

    /** Opens the link of a mail, fills in the form and sends it. Returns the text of the page. */
    async function useLink(
      page: Page,
      link: string,
      fields: Record<string, string> = {},
    ): Promise<string> {
      // If the page is open already, the browser would only scroll to the link's fragment.
      await page.goto('about:blank');
      await page.goto(link);
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
      await page.locator('[type=submit]').click();
      return hears(page, /./);
    }

    for (const isStripped of [false, true]) {
      describe(isStripped ? 'the proxy strips it' : 'the proxy forwards it', () => {
        before(() => void proxy.stripPrefix(isStripped));

        test('the links in mails, and all URLs on their pages, are below the prefix', async () => {
          const Email = newAddress();
          assert.equal((await call('Account_Register', { Email, Password: password })).status, 200);
          const verification = await mailTo(stack, Email);
          const Token = tokenIn(verification);
          assert.equal(verification.Links[0], `${base}/verify#token=${Token}`);
          assert.equal((await call('Account_Verify', { Token })).status, 200);
          assert.equal((await call('Account_RequestPasswordReset', { Email })).status, 200);
          const reset = await mailTo(stack, Email, 2);
          assert.equal(reset.Links[0], `${base}/reset#token=${tokenIn(reset)}`);
          assert.equal(
            (
              await call('Account_ResetPassword', {
                Token: tokenIn(reset),
                Password: 'a brand new one',
              })
            ).status,
            200,
          );
          const notice = await mailTo(stack, Email, 3);
          for (const link of notice.Links)
            assert.ok(link === base || link.startsWith(`${base}/`), link);
          for (const page of ['verify', 'reset', 'invitation'])
            assert.ok((await assertThere(`${base}/${page}`)).has(`${base}/pages/token.js`), page);
        });

        test('the links in mails open working pages', { skip: withoutChromium }, async () => {
          const page = await browser.newPage();
          const Email = newAddress();
          assert.equal((await call('Account_Register', { Email, Password: password })).status, 200);
          const [verify = ''] = (await mailTo(stack, Email)).Links;
          assert.match(await useLink(page, verify), /is verified/);
          assert.match(await useLink(page, verify), /no longer valid/);
          assert.equal((await call('Account_RequestPasswordReset', { Email })).status, 200);
          const [reset = ''] = (await mailTo(stack, Email, 2)).Links;
          assert.match(
            await useLink(page, reset, { 'New password': 'a brand new one' }),
            /is changed/,
          );
          assert.equal(
            (await call('Account_Login', { Email, Password: 'a brand new one' })).status,
            200,
          );
        });

        test('the session cookie is valid for the whole host, and works for pages of this origin', async () => {
          const Email = newAddress();
          await call(
            'Users_Create',
            { User: { Email }, Password: password },
            { authorization: `Bearer ${stack.platformKey}` },
          );
          const signedIn = await call('Account_Login', { Email, Password: password, Cookie: true });
          const set = signedIn.headers.get('set-cookie') ?? '';
          assert.match(set, /; Path=\/; /);
          const cookie = set.split(';')[0] ?? '';
          assert.equal(
            (await call('Account_Get', {}, { cookie, origin: new URL(base).origin })).status,
            200,
          );
          assert.equal(
            (await call('Account_Get', {}, { cookie, origin: 'http://evil.example' })).status,
            403,
          );
        });

        test('the API description and its page name the operations below the prefix', async () => {
          const page = await fetch(`${base}/docs`);
          assert.equal(page.url, `${base}/docs`);
          const names = Array.from(
            (await page.text()).matchAll(/\b(?:src|href)="([^"]*)"/g),
            ([, name = '']) => name,
          );
          assert.ok(names.includes('openapi.json'));
          for (const name of names)
            assert.equal(
              (await fetch(new URL(name, page.url), { method: 'HEAD' })).status,
              200,
              name,
            );
          const address = new URL('openapi.json', page.url).href;
          const { servers } = (await (await fetch(address)).json()) as {
            servers: Array<{ url: string }>;
          };
          assert.equal(new URL(servers[0]?.url ?? '', address).href, `${base}/`);
          assert.equal(
            (await fetch(`${base}/Account_Get`, { method: 'POST', body: '{}' })).status,
            400,
          );
        });

        test('sign-in redirects to routes below the prefix', async () => {
          const domain = newAddress().replace('@', '.');
          const Tenant = await createTenant(stack, (await signUp(stack)).token);
          const ID = 'sso_01hzzzzzzzzzzzzzzzzzzzzzzz';
          await rowsOf(
            stack,
            `insert into sso.provider (tenant, id, kind, name, active, secret_enc, group_mappings, attribute_map, created_at, updated_at)
             values ($1, $2, 'oidc', 'a', true, '', '[]', '{}', now(), now())`,
            [Tenant, ID],
          );
          await rowsOf(
            stack,
            `insert into sso.domain values ($1, 'dom_1', $2, 'verified', 'off', now(), now())`,
            [Tenant, domain],
          );
          const { Redirect } = (await call('Sso_Check', { Email: `a@${domain}` })).body;
          assert.equal(Redirect, `${base}/auth/${Tenant}/${ID}/login`);
          // The route exists: the answer is about the sign-in, and not "there is no such operation".
          for (const step of ['login', 'callback']) {
            const answer = await fetch(Redirect.replace('login', step), { redirect: 'manual' });
            assert.notEqual(answer.status, 404, step);
          }
        });

        test('an unknown path is 404', async () => {
          const lost = await fetch(`${base}/nothing`);
          assert.equal(lost.status, 404);
          assert.equal(((await lost.json()) as Answer['body']).Code, 'not_found');
        });
      });
    }
  });
}
