import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeBoth, type Stack } from '../../support/harness.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { sessionCookie } from '../home.ts';
import {
  exchangeGrant,
  githubJob,
  newSigning,
  saveTrust,
  trustIn,
  typeOf,
  verified,
} from './keyless.ts';
import { promisedAt, proofs } from './promises.ts';
import {
  type App,
  ask,
  callback,
  createApp,
  enter,
  errorOf,
  exchange,
  type Relying,
  relyOn,
  resource,
  signInWith,
} from './stage.ts';
import { startVisitor } from './visitor.ts';

describeBoth('an app that signs people in', (topology) => {
  let stack: Stack;
  let app: App;
  let config: Relying;
  let ada: { id: string; email: string; token: string };
  before(async () => {
    stack = await sharedStack(topology);
    [app, ada] = await Promise.all([createApp(stack), signUp(stack)]);
    config = await relyOn(stack, app);
  });
  after(() => stack?.stop());

  test('the discovery document lists what works, and nothing else', async () => {
    const metadata = config.serverMetadata();
    assert.deepEqual({ ...metadata }, promisedAt(stack.url));
    const oauth = await fetch(`${stack.url}/.well-known/oauth-authorization-server`);
    assert.deepEqual(await oauth.json(), { ...metadata });
  });

  test('each promise of the discovery document has a test', () => {
    for (const [entry, [file, title]] of Object.entries(proofs)) {
      assert.ok(entry in promisedAt(''), entry);
      const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
      assert.ok(text.includes(title), `${entry}: ${file} has no “${title}”`);
    }
    const lists = Object.entries(promisedAt('')).filter(([, value]) => Array.isArray(value));
    for (const [entry] of lists) assert.ok(Object.hasOwn(proofs, entry), `${entry} has no test`);
  });

  test('the code comes in the query, in the fragment or by a form', async () => {
    const visitor = startVisitor(stack, ada.token);
    const inFragment = await ask(config, { response_mode: 'fragment' });
    const { url } = await visitor.open(inFragment.url);
    assert.ok(new URLSearchParams(url.hash.slice(1)).has('code'));
    const byForm = await visitor.open((await ask(config, { response_mode: 'form_post' })).url);
    assert.match(byForm.text, /<form[^>]*action="https:\/\/app\.example\.test\/callback"/);
    assert.match(byForm.text, /name="code"/);
  });

  test('answers for its documents from memory, to any origin, with their version', async () => {
    const names = [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/oauth/jwks',
    ];
    for (const name of names) {
      const get = (method: string, version = '') =>
        fetch(`${stack.url}${name}`, {
          method,
          headers: { origin: 'https://app.example', 'if-none-match': version },
        });
      const first = await get('GET');
      const { headers } = first;
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('cache-control'), 'public, max-age=60');
      assert.match(headers.get('content-type') ?? '', /^application\/(?:jwk-set\+)?json/);
      const text = await first.text();
      assert.ok(!text.includes('"d":'));
      const [again, head] = [await get('GET', headers.get('etag') ?? ''), await get('HEAD')];
      assert.deepEqual([again.status, await again.text()], [304, '']);
      assert.deepEqual([head.status, await head.text()], [200, '']);
      assert.equal(head.headers.get('etag'), headers.get('etag'));
    }
  });

  test('gets an ID token, and the claims of the scopes', async () => {
    const { tokens } = await signInWith(stack, config, ada.token);
    const claims = tokens.claims();
    assert.ok(claims);
    const { sub, email, email_verified, acr, amr, sid, auth_time = 0 } = claims;
    assert.deepEqual(
      { sub, email, email_verified, acr, amr },
      { sub: ada.id, email: ada.email, email_verified: true, acr: 'aal1', amr: ['pwd'] },
    );
    assert.match(sid as string, /^ses_/);
    assert.ok(Math.abs(Date.now() / 1000 - auth_time) < 600);
    const { sub: subject, ...userInfo } = await client.fetchUserInfo(
      config,
      tokens.access_token,
      ada.id,
    );
    assert.deepEqual([subject, userInfo.email], [ada.id, ada.email]);
  });

  test('sends people without a session to the sign-in page, and gets them back from there', async () => {
    const visitor = startVisitor(stack);
    const request = await ask(config);
    const page = await visitor.open(request.url);
    assert.equal(page.status, 200);
    const arrival = await enter(visitor, page, ada.token);
    assert.ok(arrival.url.href.startsWith(callback), arrival.url.href);
    const tokens = await exchange(config, request, arrival);
    assert.equal(tokens.claims()?.sub, ada.id);
  });

  test('a sign-in and a sign-out that are posted go on as GET, with their parameters', async () => {
    for (const [path, body] of [
      ['authorize', 'client_id=a&state=%C3%A9+%26&scope=openid&scope=email'],
      ['logout', 'client_id=a&state=%C3%A9+%26'],
    ] as const) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const options = { method: 'POST', redirect: 'manual', headers, body } as const;
      const answer = await fetch(`${stack.url}/oauth/${path}`, options);
      assert.equal(answer.status, 303);
      const to = new URL(answer.headers.get('location') ?? '', answer.url);
      assert.equal(to.href, `${stack.url}/oauth/${path}?${body}`);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  test('prompt=none refuses without a session, and prompt=login asks for another sign-in', async () => {
    const silent = await startVisitor(stack).open((await ask(config, { prompt: 'none' })).url);
    assert.equal(silent.url.searchParams.get('error'), 'login_required');
    const visitor = startVisitor(stack, ada.token);
    const request = await ask(config, { prompt: 'login' });
    const page = await visitor.open(request.url);
    assert.equal(page.url.searchParams.get('again'), '1');
    // The old session leads back to the sign-in page.
    const back = await enter(visitor, page, ada.token);
    assert.equal(back.url.pathname, '/login');
    const fresh = String(bodyOf(await login(stack, ada.email))['Token']);
    const tokens = await exchange(config, request, await enter(visitor, back, fresh));
    assert.equal(tokens.claims()?.sub, ada.id);
  });

  test('max_age asks for another sign-in after that time', async () => {
    const recent = await signInWith(stack, config, ada.token, { max_age: '3600' });
    assert.equal(recent.tokens.claims()?.sub, ada.id);
    const late = await startVisitor(stack, ada.token).open(
      (await ask(config, { max_age: '0', prompt: 'none' })).url,
    );
    assert.equal(late.url.searchParams.get('error'), 'login_required');
  });

  test('refreshes with a new refresh token each time, and gets a JWT for its resource', async () => {
    const { tokens } = await signInWith(stack, config, ada.token, {
      scope: 'openid app.reports.read',
      resource,
    });
    const first = tokens.refresh_token ?? assert.fail('no refresh token');
    const second = await client.refreshTokenGrant(config, first, { resource });
    assert.notEqual(second.refresh_token, first);
    // Authlib repeats its scopes with each refresh.
    const scope = 'openid app.reports.read offline_access';
    const third = await client.refreshTokenGrant(config, second.refresh_token ?? '', { scope });
    assert.ok(third.refresh_token);
    const [head = '', body = ''] = second.access_token.split('.');
    const read = (part: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    assert.equal(read(head)['typ'], 'at+jwt');
    const { iss, sub, aud, client_id, sid, iat, exp, ...others } = read(body);
    assert.deepEqual(
      { iss, sub, aud, client_id, scope: others['scope'] },
      { iss: stack.url, sub: ada.id, aud: resource, client_id: app.ID, scope: 'app.reports.read' },
    );
    assert.match(sid as string, /^ses_/);
    assert.equal(Number(exp) - Number(iat), 300);
  });

  test('a service gets tokens for itself, within its scopes', async () => {
    const service = await createApp(stack, {
      Kind: 'service',
      RedirectURIs: [],
      PostLogoutRedirectURIs: [],
      Scopes: ['app.*'],
    });
    const its = await relyOn(stack, service);
    const scope = 'app.reports.read iam.users.read openid';
    const tokens = await client.clientCredentialsGrant(its, { resource, scope });
    const body = JSON.parse(
      Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
    assert.deepEqual(
      [body['sub'], body['aud'], body['scope'], body['permissions'], body['sid']],
      [service.ID, resource, 'app.reports.read', ['app.reports.read'], undefined],
    );
    assert.equal(
      await errorOf(client.clientCredentialsGrant(config, { resource, scope })),
      'invalid_request',
    );
  });

  test('a bot gets tokens with its key, and with a token that it trusts', async () => {
    const bot = await createBot(stack, await tenantFor(stack, ada.id), ada.token);
    const { Secret: secret } = await createKey(stack, bot, ada.token);
    const signing = newSigning();
    const trust = await saveTrust(stack, trustIn(bot, githubJob(), signing.jwks), ada.token);
    const its = await relyOn(stack, { ID: bot.ID, secret });
    assert.equal((await client.clientCredentialsGrant(its)).scope, '*');
    const keyless = await relyOn(stack, { ID: bot.ID, secret: '' });
    const exchanged = await client.genericGrantRequest(keyless, exchangeGrant, {
      subject_token: signing.sign(githubJob()),
      subject_token_type: typeOf('jwt'),
    });
    const { access_token } = exchanged;
    const { credential } = await verified(stack, { access_token });
    assert.equal(credential, trust);
  });

  test('introspects and revokes its tokens', async () => {
    const { tokens } = await signInWith(stack, config, ada.token);
    const claims = await client.tokenIntrospection(config, tokens.access_token);
    assert.deepEqual([claims.active, claims.sub, claims.client_id], [true, ada.id, app.ID]);
    await client.tokenRevocation(config, tokens.access_token);
    assert.equal((await client.tokenIntrospection(config, tokens.access_token)).active, false);
    assert.notEqual(
      await errorOf(client.fetchUserInfo(config, tokens.access_token, ada.id)),
      'none',
    );
  });

  test('signs people out of Bailiwick, and gets them back', async () => {
    const token = String(bodyOf(await login(stack, ada.email))['Token']);
    const { tokens, visitor } = await signInWith(stack, config, token);
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'https://app.example.test/',
      state: 'out',
    });
    const arrival = await visitor.sendForm(await visitor.open(url));
    assert.equal(arrival.url.href, 'https://app.example.test/?state=out');
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    assert.equal(visitor.has(sessionCookie), false);
    assert.equal(
      await errorOf(client.refreshTokenGrant(config, tokens.refresh_token ?? '')),
      'invalid_grant',
    );
  });

  test('a sign-out without an ID token asks the person first', async () => {
    const visitor = startVisitor(stack, ada.token);
    const page = await visitor.open(`${stack.url}/oauth/logout?client_id=${app.ID}`);
    assert.equal(page.url.pathname, '/signed-out');
    assert.equal((await stack.call('Account_Get', {}, ada.token)).status, 200);
  });
});
