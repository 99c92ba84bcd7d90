import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { countOf, dumpOf, rowsOf } from '../support/store.ts';
import { assertLeadsToApp } from './app-url.ts';
import { startBrowser } from './browse.ts';
import {
  createHome,
  goThrough,
  type Home,
  loginUrl,
  oidcOf,
  type ProviderRecord,
  refusalIn,
  samlOf,
  saveProvider,
  sessionCookie,
} from './home.ts';
import { type EvilOp, startEvilOp } from './oidc/evil-op.ts';
import { type EvilIdp, startEvilIdp } from './saml/evil-idp.ts';

// The state of an SSO sign-in between its request and its callback: the browser's cookie, the time
// limit and the return address.

type Half = { cookie: string; callback: string; body?: URLSearchParams };

const expired = 'This sign-in has expired or was finished before. Please sign in again.';

describeOne('an SSO sign-in in progress', 'one process', (topology) => {
  let stack: Stack;
  let op: EvilOp;
  let idp: EvilIdp;
  let home: Home;
  let providers: Record<string, ProviderRecord>;
  // An application at another origin, which receives a sign-in code.
  const app = createServer((request, response) => response.end(request.url));
  let appOrigin = '';
  before(async () => {
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    appOrigin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    [stack, op, idp] = await Promise.all([
      startStack(topology, { BAILIWICK_LIMITS: 'off', BAILIWICK_ALLOWED_ORIGINS: appOrigin }),
      startEvilOp({ account: { sub: 'ada', email: '', email_verified: true } }),
      startEvilIdp(),
    ]);
    home = await createHome(stack);
    await op.stop();
    op = await startEvilOp({
      account: { sub: 'ada', email: `ada@${home.domain}`, email_verified: true },
    });
    idp.setPerson({
      nameId: 'ada',
      attributes: { mail: [`grace@${home.domain}`], displayName: ['Grace'], groups: [] },
    });
    providers = {
      oidc: await saveProvider(stack, home, { ...oidcOf(op.issuer), TokenAuthMethod: 'none' }),
      saml: await saveProvider(stack, home, samlOf(idp)),
    };
  });
  after(async () => {
    app.closeAllConnections();
    await Promise.all([
      stack?.stop(),
      op?.stop(),
      idp?.stop(),
      new Promise((resolve) => app.close(resolve)),
    ]);
  });
  const providerOf = (kind: string): ProviderRecord => providers[kind] ?? assert.fail(kind);
  const unsolicited = ({ AcsURL, SpEntityID }: ProviderRecord) =>
    `${idp.unsolicitedUrl}?${new URLSearchParams({ acsUrl: AcsURL, spEntityId: SpEntityID }).toString()}`;
  const sessions = () => countOf(stack, 'identity.session');

  /** Starts a sign-in and stops before the provider's response reaches the callback. */
  async function begin(kind: string): Promise<Half> {
    const start = await fetch(loginUrl(stack, providerOf(kind)), { redirect: 'manual' });
    const cookie = start.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const location = start.headers.get('location') ?? '';
    if (kind === 'oidc')
      return {
        cookie,
        callback: (await fetch(location, { redirect: 'manual' })).headers.get('location') ?? '',
      };
    const page = await (await fetch(location)).text();
    const field = (name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
    return {
      cookie,
      callback: providerOf(kind).AcsURL,
      body: new URLSearchParams({
        SAMLResponse: field('SAMLResponse'),
        RelayState: field('RelayState'),
      }),
    };
  }
  const finish = ({ callback, body }: Half, cookie: string, url = callback) =>
    fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(body ? { method: 'POST', body } : {}),
    });
  const messageOf = async (response: Response) =>
    ((await response.json()) as { Message: string }).Message;

  for (const kind of ['oidc', 'saml']) {
    test(`completes once (${kind}): one of fifty callbacks at once signs in, and later ones fail`, async () => {
      const half = await begin(kind);
      const before = await sessions();
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => finish(half, half.cookie)),
      );
      assert.equal(answers.filter(({ status }) => status === 303).length, 1);
      for (const answer of answers.filter(({ status }) => status !== 303)) {
        assert.equal(answer.status, 400);
        assert.equal(await messageOf(answer), expired);
      }
      assert.equal((await finish(half, half.cookie)).status, 400);
      assert.equal(await sessions(), before + 1);
    });

    test(`is bound to its browser (${kind}): a callback from another browser fails and leaves it open`, async () => {
      const [half, other] = [await begin(kind), await begin(kind)];
      for (const cookie of ['', other.cookie, half.cookie.replace(/=.*/, '=x')]) {
        const answer = await finish(half, cookie);
        assert.equal(answer.status, 403);
        assert.match(await messageOf(answer), /another browser/);
        assert.equal(answer.headers.getSetCookie().length, 0);
      }
      assert.equal((await finish(half, half.cookie)).status, 303);
    });

    test(`expires after ten minutes (${kind}), even before the sweeper runs`, async () => {
      const half = await begin(kind);
      await rowsOf(stack, 'update sso.sign_in_flow set expires_at = now()');
      const answer = await finish(half, half.cookie);
      assert.deepEqual([answer.status, await messageOf(answer)], [400, expired]);
    });

    test(`is bound to its provider (${kind}): the callback of another provider fails`, async () => {
      const half = await begin(kind);
      const twin = await saveProvider(
        stack,
        home,
        kind === 'oidc' ? { ...oidcOf(op.issuer), TokenAuthMethod: 'none' } : samlOf(idp),
      );
      const elsewhere = half.callback.replace(providerOf(kind).ID, twin.ID);
      assert.equal((await finish(half, half.cookie, elsewhere)).status, 400);
      assert.equal((await finish(half, half.cookie)).status, 303);
    });

    test(`returns to its return_to (${kind}), and rejects addresses of other origins`, async () => {
      const { page } = await goThrough(stack, loginUrl(stack, providerOf(kind), '/verify?a=b'));
      assert.equal(page.url, `${stack.url}/verify?a=b`);
      for (const evil of [
        '//evil.example',
        '/\\evil.example',
        'https://evil.example',
        `${appOrigin}.evil.example`,
        'javascript:alert(1)',
        `http://a@${appOrigin.slice(7)}`,
      ]) {
        const refused = await goThrough(stack, loginUrl(stack, providerOf(kind), evil));
        assert.equal(refusalIn(refused).status, 400, evil);
        assert.equal(refused.token, undefined);
      }
    });

    test(`without a return_to goes to the AppURL of its tenant (${kind})`, () =>
      assertLeadsToApp(stack, home, loginUrl(stack, providerOf(kind)), `${appOrigin}/acme`));

    test(`gives an application a code (${kind}), which works once and only at its origin`, async () => {
      const code = async () => {
        const went = await goThrough(
          stack,
          loginUrl(stack, providerOf(kind), `${appOrigin}/back?next=1`),
        );
        assert.equal(went.token, undefined, 'the browser gets no session cookie');
        const url = new URL(went.page.url);
        assert.deepEqual([url.origin, url.searchParams.get('next')], [appOrigin, '1']);
        return url.searchParams.get('code') ?? '';
      };
      const Code = await code();
      assertRefused(
        await stack.call('Account_ExchangeCode', { Code }, undefined, {
          origin: 'http://evil.example',
        }),
        400,
        'failed_precondition',
      );
      const { Token, User } = bodyOf(
        await stack.call('Account_ExchangeCode', { Code }, undefined, { origin: appOrigin }),
      ) as unknown as {
        Token: string;
        User: { Email: string };
      };
      assert.ok(User.Email.endsWith(home.domain));
      assert.equal((await stack.call('Account_Get', {}, Token)).status, 200);
      assertRefused(
        await stack.call('Account_ExchangeCode', { Code }, undefined, { origin: appOrigin }),
        400,
        'failed_precondition',
      );
      const late = await code();
      await rowsOf(stack, 'update identity.sign_in_code set expires_at = now()');
      assertRefused(
        await stack.call('Account_ExchangeCode', { Code: late }),
        400,
        'failed_precondition',
      );
    });

    test(`stores and logs neither its state nor its cookie in the clear (${kind})`, async () => {
      const half = await begin(kind);
      const state =
        kind === 'oidc'
          ? new URL(half.callback).searchParams.get('state')
          : half.body?.get('RelayState');
      const binding = half.cookie.split('=')[1] ?? '';
      const stored = await dumpOf(stack, 'sso');
      for (const secret of [state ?? '', binding]) {
        assert.ok(secret.length > 40);
        assert.ok(
          !stored.includes(secret) && !stored.includes(Buffer.from(secret).toString('hex')),
        );
      }
      for (const service of ['gateway', 'sso'] as const)
        for (const secret of [state ?? '', binding])
          assert.ok(!stack.logOf(service).includes(secret));
    });
  }

  test('accepts an assertion once, also an IdP-initiated one', async () => {
    const provider = await saveProvider(stack, home, { ...samlOf(idp), AllowIdpInitiated: true });
    const page = await (await fetch(unsolicited(provider))).text();
    const SAMLResponse = /name="SAMLResponse" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const take = () =>
      fetch(provider.AcsURL, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ SAMLResponse }),
      });
    // Grace is already linked through another provider record of the same identity provider. A
    // second link would be rejected.
    await rowsOf(stack, 'delete from identity.identity_link where provider <> $1', [provider.ID]);
    const answers = await Promise.all(Array.from({ length: 20 }, take));
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    assert.equal((await take()).status, 403);
  });

  test('an IdP-initiated sign-in goes to the AppURL of its tenant', async () => {
    const provider = await saveProvider(stack, home, { ...samlOf(idp), AllowIdpInitiated: true });
    await rowsOf(stack, 'delete from identity.identity_link where provider <> $1', [provider.ID]);
    await assertLeadsToApp(stack, home, unsolicited(provider), `${appOrigin}/acme`);
  });

  test('sets an HttpOnly session cookie when it ends', async () => {
    const browser = startBrowser();
    const half = await begin('oidc');
    const answer = await finish(half, half.cookie);
    const cookies = answer.headers.getSetCookie();
    assert.equal(cookies.length, 1);
    assert.match(
      cookies.find((line) => line.startsWith(sessionCookie)) ?? '',
      /^bailiwick_session=bwks_\w+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    assert.deepEqual(
      [answer.headers.get('cache-control'), answer.headers.get('referrer-policy')],
      ['no-store', 'no-referrer'],
    );
    assert.equal(browser.cookie(sessionCookie), undefined);
  });

  test('rejects a duplicate parameter, and answers a broken callback with a readable error page', async () => {
    const half = await begin('oidc');
    assert.equal((await finish(half, half.cookie, `${half.callback}&state=other`)).status, 400);
    const html = await fetch(
      `${stack.url}/auth/${home.tenant}/${providerOf('oidc').ID}/callback?state=x`,
      { headers: { accept: 'text/html' } },
    );
    const text = await html.text();
    assert.deepEqual(
      [html.status, html.headers.get('content-type')],
      [400, 'text/html; charset=utf-8'],
    );
    assert.ok(text.includes(expired) && !text.includes('state=x'));
    const number = html.headers.get('x-request-id') ?? '';
    assert.ok(text.includes(number));
    for (const service of ['gateway', 'sso'] as const)
      await eventually(`the request id in the log of ${service}`, () =>
        Promise.resolve(stack.logOf(service).includes(number)),
      );
    for (const method of ['PUT', 'DELETE', 'POST']) {
      const login = await fetch(loginUrl(stack, providerOf('oidc')), { method });
      assert.equal(login.status, 405);
    }
    const noForm = await fetch(providerOf('saml').AcsURL, {
      method: 'POST',
      body: 'SAMLResponse=x',
      headers: { 'content-type': 'text/plain' },
    });
    assert.deepEqual(
      [noForm.status, ((await noForm.json()) as { Message: string }).Message],
      [400, 'Content-Type must be application/x-www-form-urlencoded'],
    );
    const large = await fetch(providerOf('saml').AcsURL, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: 'A'.repeat(300_000) }),
    });
    assert.equal(large.status, 400);
  });
});
