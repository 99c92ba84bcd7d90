import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import {
  type App,
  answerConsent,
  ask,
  callback,
  createApp,
  errorOf,
  exchange,
  type Relying,
  relyOn,
  resource,
  signInWith,
} from './stage.ts';
import { startVisitor } from './visitor.ts';

describeOne('an app that signs people in, attacked', 'one process', (topology) => {
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

  const newSession = async () => String(bodyOf(await login(stack, ada.email))['Token']);
  const refresh = (token: string | undefined) =>
    errorOf(client.refreshTokenGrant(config, token ?? ''));

  test('a code works once, and its second use ends its tokens', async () => {
    const { request, arrival, tokens } = await signInWith(stack, config, ada.token);
    assert.equal(await errorOf(exchange(config, request, arrival)), 'invalid_grant');
    assert.equal(await refresh(tokens.refresh_token), 'invalid_grant');
  });

  test('of 200 uses of one code at once, one succeeds', async () => {
    const request = await ask(config);
    const arrival = await startVisitor(stack, ada.token).open(request.url);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => errorOf(exchange(config, request, arrival))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'none').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'invalid_grant').length, 199);
  });

  test('a refresh token works once: its use after the use of its successor ends its family', async () => {
    const { tokens } = await signInWith(stack, config, ada.token);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const last = await client.refreshTokenGrant(config, next.refresh_token ?? '');
    assert.equal(await refresh(tokens.refresh_token), 'invalid_grant');
    assert.equal(await refresh(last.refresh_token), 'invalid_grant');
    assert.notEqual(await errorOf(client.fetchUserInfo(config, last.access_token, ada.id)), 'none');
  });

  test('a code needs the verifier of its challenge, its address and its client', async () => {
    const other = await relyOn(stack, await createApp(stack));
    const verifier = client.randomPKCECodeVerifier();
    for (const [presenter, change, pathname] of [
      [config, { verifier }, '/callback'],
      [other, {}, '/callback'],
      [config, {}, '/other'],
    ] as const) {
      const request = await ask(config);
      const { url, ...arrival } = await startVisitor(stack, ada.token).open(request.url);
      const at = { ...arrival, url: Object.assign(new URL(url), { pathname }) };
      const refused = await errorOf(exchange(presenter, { ...request, ...change }, at));
      assert.equal(refused, 'invalid_grant');
    }
  });

  test('an authorization request needs PKCE with S256', async () => {
    for (const over of [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge_method: 'plain' },
    ]) {
      const { url } = await ask(config, over);
      for (const [name, value] of Object.entries(over))
        if (value === '') url.searchParams.delete(name);
      const arrival = await startVisitor(stack, ada.token).open(url);
      assert.equal(arrival.url.searchParams.get('error'), 'invalid_request', arrival.url.href);
      assert.equal(arrival.url.searchParams.get('code'), null);
    }
  });

  test('other redirect addresses get a page of ours, and no redirect', async () => {
    for (const redirect_uri of [
      `${callback}/`,
      `${callback}?x=1`,
      `${callback}#x`,
      callback.replace('https', 'http'),
      callback.replace('app.', 'APP.'),
      callback.replace('.test', '.test:8443'),
      callback.replace('app.example.test', 'app.example.test@evil.test'),
      `${callback}/../callback`,
      'https://evil.test/callback',
    ]) {
      const { url } = await ask(config, { redirect_uri });
      const { status, text, url: at } = await startVisitor(stack, ada.token).open(url);
      assert.equal(at.origin, stack.url, redirect_uri);
      assert.equal(status, 400, redirect_uri);
      assert.match(text, /pages\/page\.css/);
      assert.doesNotMatch(text, /<script/);
    }
  });

  test('a native app may use any port of the loopback address, a web app may not', async () => {
    const redirect_uri = 'http://127.0.0.1:1/callback';
    const elsewhere = 'http://127.0.0.1:49152/callback';
    const native = await createApp(stack, { Kind: 'native', RedirectURIs: [redirect_uri] });
    const web = await createApp(stack, { RedirectURIs: [redirect_uri] });
    for (const [each, lands] of [
      [native, true],
      [web, false],
    ] as const) {
      const { url } = await ask(await relyOn(stack, each), { redirect_uri: elsewhere });
      const visitor = startVisitor(stack, ada.token);
      const page = await visitor.open(url);
      const arrival = lands ? await answerConsent(visitor, page, 'yes') : page;
      assert.equal(arrival.url.href.startsWith(elsewhere), lands, arrival.url.href);
    }
  });

  test('a native app without an https address gets no code before the person consents, each time', async () => {
    const [loopback, own] = ['http://127.0.0.1:1/callback', 'com.example.app:/callback'];
    for (const RequireConsent of [false, true]) {
      const RedirectURIs = [loopback, own, callback];
      const fields = { Kind: 'native', RedirectURIs, RequireConsent };
      const its = await relyOn(stack, await createApp(stack, fields));
      for (const redirect_uri of [loopback, own, loopback]) {
        const visitor = startVisitor(stack, ada.token);
        const request = await ask(its, { redirect_uri });
        const page = await visitor.open(request.url);
        assert.match(page.text, /<form method="post">/);
        const arrival = await answerConsent(visitor, page, 'yes');
        assert.ok(arrival.url.href.startsWith(redirect_uri), arrival.url.href);
        assert.equal((await exchange(its, request, arrival)).claims()?.sub, ada.id);
        const { url } = await visitor.open((await ask(its, { redirect_uri, prompt: 'none' })).url);
        assert.equal(url.searchParams.get('error'), 'interaction_required');
      }
      const { tokens } = await signInWith(stack, its, ada.token);
      assert.equal(tokens.claims()?.sub, ada.id);
    }
  });

  test('an app of the browser refreshes without a secret, from the origin of its address only', async () => {
    const spa = await createApp(stack, { Kind: 'spa' });
    assert.equal(spa.secret, '');
    const its = await relyOn(stack, spa);
    const { tokens } = await signInWith(stack, its, ada.token);
    const post = (origin: string) =>
      fetch(`${stack.url}/oauth/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: spa.ID,
          refresh_token: tokens.refresh_token ?? '',
        }),
      });
    assert.equal((await post('https://evil.test')).status, 400);
    const own = await post(new URL(callback).origin);
    assert.equal(own.status, 200, await own.clone().text());
    assert.equal(own.headers.get('access-control-allow-origin'), new URL(callback).origin);
  });

  test('a wrong secret is refused, and after its end the previous one', async () => {
    const { ID, secret } = await createApp(stack);
    const old = await relyOn(stack, { ID, secret });
    const request = await ask(old);
    const arrival = await startVisitor(stack, ada.token).open(request.url);
    const wrong = await relyOn(stack, { ID, secret: `${secret.slice(0, -1)}_` });
    assert.equal(await errorOf(exchange(wrong, request, arrival)), 'invalid_client');
    const rotated = bodyOf(await stack.call('Apps_RotateSecret', { ID }, stack.platformKey));
    assert.equal(await errorOf(exchange(old, request, arrival)), 'invalid_client');
    const now = await relyOn(stack, { ID, secret: String(rotated['ClientSecret']) });
    assert.equal(await errorOf(exchange(now, request, arrival)), 'none');
  });

  test('an ID that no app can have is unknown everywhere, and the database is not asked for it', async () => {
    for (const client_id of ['\0', `${app.ID}\0`, app.ID.toUpperCase(), 'app_', "' or 1=1", 'é'])
      for (const path of ['token', 'introspect', 'revoke', 'par', 'device_authorization']) {
        const body = new URLSearchParams({ client_id, client_secret: app.secret, token: 'x' });
        body.set('grant_type', 'client_credentials');
        const answer = await fetch(`${stack.url}/oauth/${path}`, { method: 'POST', body });
        const { error } = (await answer.json()) as { error: string };
        assert.deepEqual([answer.status, error], [401, 'invalid_client'], `${path} ${client_id}`);
      }
    const page = await startVisitor(stack).open('/oauth/authorize?client_id=%00');
    assert.equal(page.status, 400);
    assert.match(page.text, />Client is invalid\.</);
  });

  test('an inactive app gets neither codes nor tokens', async () => {
    const app = await createApp(stack);
    const its = await relyOn(stack, app);
    const { tokens } = await signInWith(stack, its, ada.token);
    bodyOf(
      await stack.call(
        'Apps_Save',
        { App: { ID: app.ID, Name: 'Reports', Active: false } },
        stack.platformKey,
      ),
    );
    const refused = await errorOf(client.refreshTokenGrant(its, tokens.refresh_token ?? ''));
    assert.equal(refused, 'invalid_client');
    const page = await startVisitor(stack, ada.token).open((await ask(its)).url);
    assert.deepEqual([page.url.origin, page.status], [stack.url, 400]);
  });

  test("a tenant's app admits its members only, and a removed member no longer", async () => {
    const owner = await signUp(stack);
    const Tenant = await tenantFor(stack, owner.id);
    const theirs = await relyOn(stack, await createApp(stack, { Tenant }, owner.token));
    const foreign = await startVisitor(stack, ada.token).open((await ask(theirs)).url);
    assert.equal(foreign.url.searchParams.get('error'), 'access_denied');
    const { tokens } = await signInWith(stack, theirs, owner.token);
    const introspect = (token = '') => client.tokenIntrospection(theirs, token);
    assert.equal((await introspect(tokens.access_token)).active, true);
    await rowsOf(
      stack,
      "update access.tenant_member set status = 'disabled' where tenant = $1 and user_id = $2",
      [Tenant, owner.id],
    );
    await forgetRights({ DATABASE_URL: stack.databaseUrl });
    assert.equal((await introspect(tokens.access_token)).active, false);
    assert.equal((await introspect(tokens.refresh_token)).active, false);
    const refused = await errorOf(client.refreshTokenGrant(theirs, tokens.refresh_token ?? ''));
    assert.equal(refused, 'invalid_grant');
    assert.notEqual(
      await errorOf(client.fetchUserInfo(theirs, tokens.access_token, owner.id)),
      'none',
    );
  });

  test('the end of a session ends its refresh tokens, userinfo and introspection at once', async () => {
    const session = await newSession();
    const { tokens } = await signInWith(stack, config, session);
    const still = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    bodyOf(await stack.call('Account_Logout', {}, session));
    assert.equal(await refresh(still.refresh_token), 'invalid_grant');
    assert.notEqual(
      await errorOf(client.fetchUserInfo(config, still.access_token, ada.id)),
      'none',
    );
    assert.equal((await client.tokenIntrospection(config, still.access_token)).active, false);
  });

  test('a token that is not for Bailiwick opens none of its operations', async () => {
    const { tokens } = await signInWith(stack, config, ada.token, {
      scope: 'openid app.reports.read',
      resource,
    });
    const { refresh_token: refreshToken = '', id_token: idToken = '' } = tokens;
    const jwt = (await client.refreshTokenGrant(config, refreshToken, { resource })).access_token;
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const unsigned = `${none}.${jwt.split('.')[1]}.`;
    for (const token of [tokens.access_token, idToken, jwt, unsigned])
      assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
  });

  test('an app asks for its own resources only', async () => {
    const { url } = await ask(config, { resource: 'https://other.example.test' });
    const arrival = await startVisitor(stack, ada.token).open(url);
    assert.equal(arrival.url.searchParams.get('error'), 'invalid_target');
    await signInWith(stack, config, ada.token, { resource });
  });
});
