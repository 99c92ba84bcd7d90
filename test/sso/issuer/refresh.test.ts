import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import {
  type App,
  answerConsent,
  ask,
  createApp,
  errorOf,
  exchange,
  type Relying,
  relyOn,
  resource,
  signInWith,
} from './stage.ts';
import { startVisitor } from './visitor.ts';

// The answer to a refresh may get lost, and a refused request may be corrected.

type Answer = { status: number; body: Record<string, unknown> };

describeOne('the refresh of an app', 'one process', (topology) => {
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

  const platform = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, stack.platformKey));
  const save = (fields: object) => platform('Apps_Save', { App: { Name: 'Reports', ...fields } });

  /** A request for tokens, as the app sends it. */
  async function post(
    { ID, secret }: App,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const body = new URLSearchParams({
      client_id: ID,
      ...(secret !== '' && { client_secret: secret }),
      ...fields,
    });
    const response = await fetch(`${stack.url}/oauth/token`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
  const refresh = (token: unknown, more: Record<string, string> = {}, of = app) =>
    post(of, { grant_type: 'refresh_token', refresh_token: String(token), ...more });
  const errorIn = ({ body }: Answer) => body['error'] ?? 'none';

  /** The refresh token of a new sign-in. */
  async function newToken(over: Record<string, string> = {}, at = config, who = ada.token) {
    const { tokens } = await signInWith(stack, at, who, over);
    return tokens.refresh_token ?? '';
  }
  /** A token that was used once, and the answer to that use. */
  async function usedToken(more: Record<string, string> = {}, over: Record<string, string> = {}) {
    const token = await newToken(over);
    const first = await refresh(token, more);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    return { token, first };
  }
  async function assertEnded(first: Answer, of = app) {
    assert.equal(errorIn(await refresh(first.body['refresh_token'], {}, of)), 'invalid_grant');
  }

  test('is repeated after a lost answer with the same answer, until the new token is used', async () => {
    const { token, first } = await usedToken();
    for (let count = 0; count < 3; count++) assert.deepEqual(await refresh(token), first);
    const second = await refresh(first.body['refresh_token']);
    assert.equal(second.status, 200);
    assert.deepEqual(await refresh(first.body['refresh_token']), second);
    // The successor was used, so this is no client that has lost an answer.
    assert.equal(errorIn(await refresh(token)), 'invalid_grant');
    await assertEnded(second);
    const claims = client.fetchUserInfo(config, String(second.body['access_token']), ada.id);
    assert.notEqual(await errorOf(claims), 'none');
  });

  test('called 200 times at once has one answer, and the sign-in goes on', async () => {
    const token = await newToken();
    const all = await Promise.all(Array.from({ length: 200 }, () => refresh(token)));
    const [one] = all;
    assert.ok(one);
    assert.equal(one.status, 200, JSON.stringify(one.body));
    for (const answer of all) assert.deepEqual(answer, one);
    assert.equal((await refresh(one.body['refresh_token'])).status, 200);
  });

  test('with a resource or scope that it may not ask for is refused, and uses nothing up', async () => {
    const over = { scope: 'openid app.reports.read', resource };
    const token = await newToken(over);
    const elsewhere = await refresh(token, { resource: 'https://other.example.test' });
    assert.equal(errorIn(elsewhere), 'invalid_target');
    assert.equal(errorIn(await refresh(token, { scope: 'openid email' })), 'invalid_scope');
    const right = await refresh(token, { resource });
    assert.equal(right.status, 200, JSON.stringify(right.body));
    assert.equal((await refresh(right.body['refresh_token'], { resource })).status, 200);
  });

  test('a code is not used up by a request that is refused', async () => {
    const request = await ask(config, { scope: 'openid app.reports.read', resource });
    const arrival = await startVisitor(stack, ada.token).open(request.url);
    const wrong = exchange(config, request, arrival, { resource: 'https://other.example.test' });
    assert.equal(await errorOf(wrong), 'invalid_target');
    const tokens = await exchange(config, request, arrival, { resource });
    assert.equal(tokens.claims()?.sub, ada.id);
    assert.equal(await errorOf(exchange(config, request, arrival, { resource })), 'invalid_grant');
  });

  test('with other terms than before ends the sign-in', async () => {
    const other = await createApp(stack);
    const more = ['openid app.reports.read', resource] as const;
    const over = { scope: `${more[0]} email`, resource };
    const differing: Record<string, (token: string) => Promise<Answer>> = {
      'another client': (token) => refresh(token, { resource }, other),
      'a smaller scope': (token) => refresh(token, { resource, scope: 'openid' }),
      'a larger scope': (token) => refresh(token, { resource, scope: `${over.scope} profile` }),
      'no resource': (token) => refresh(token),
      'a foreign resource': (token) => refresh(token, { resource: 'https://other.example.test' }),
    };
    for (const [title, repeat] of Object.entries(differing)) {
      const { token, first } = await usedToken({ resource }, over);
      const refused = await repeat(token);
      assert.equal(refused.status, 400, title);
      assert.equal(refused.body['access_token'], undefined, title);
      await assertEnded(first);
    }
  });

  test('with another DPoP key, or without one, ends the sign-in, and a repeated proof does not', async () => {
    const spa = await createApp(stack, { Kind: 'spa', DPoP: true });
    const its = await relyOn(stack, spa);
    const newKey = async () => client.getDPoPHandle(its, await client.randomDPoPKeyPair());
    const [own, other] = [await newKey(), await newKey()];
    const proofs: string[] = [];
    its[client.customFetch] = (url, options) => {
      proofs.push(new Headers(options.headers).get('dpop') ?? '');
      return fetch(url, options as RequestInit);
    };
    async function used() {
      const request = await ask(its);
      const { url } = await startVisitor(stack, ada.token).open(request.url);
      const checks = {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
      };
      const tokens = await client.authorizationCodeGrant(its, url, checks, {}, { DPoP: own });
      const token = tokens.refresh_token ?? '';
      return { token, first: await client.refreshTokenGrant(its, token, {}, { DPoP: own }) };
    }
    const renew = (token: string | undefined, DPoP = own) =>
      client.refreshTokenGrant(its, token ?? '', {}, { DPoP });

    const { token, first } = await used();
    const proof = proofs.at(-1) ?? '';
    assert.equal((await renew(token)).access_token, first.access_token);
    const replayed = await post(
      spa,
      { grant_type: 'refresh_token', refresh_token: token },
      { dpop: proof },
    );
    assert.equal(replayed.status, 400);
    const [answerRow] = await rowsOf<{ seconds: number }>(stack, answersOf, [token]);
    assert.equal(answerRow?.seconds, 30);
    assert.equal((await renew(token)).access_token, first.access_token);
    assert.equal(await errorOf(renew(token, other)), 'invalid_grant');
    assert.equal(await errorOf(renew(first.refresh_token)), 'invalid_grant');

    const second = await used();
    assert.equal(errorIn(await refresh(second.token, {}, spa)), 'invalid_grant');
    assert.equal(await errorOf(renew(second.first.refresh_token)), 'invalid_grant');
  });

  const answersOf = `select extract(epoch from expires_at - created_at)::int as seconds from sso.issuer_record
    where id = encode(sha256(convert_to('RefreshAnswer' || chr(10) || $1, 'utf8')), 'hex')`;

  test('may be repeated for as long as the app says, and ends the sign-in afterwards', async () => {
    const windows: Array<[object, number | undefined]> = [
      [{}, 30],
      [{ Kind: 'spa' }, 10],
      [{ RefreshReuseSeconds: 60 }, 60],
      [{ Kind: 'spa', RefreshReuseSeconds: 3 }, 3],
      [{ RefreshReuseSeconds: 0 }, undefined],
    ];
    for (const [fields, seconds] of windows) {
      const its = await createApp(stack, fields);
      const token = await newToken({}, await relyOn(stack, its));
      const first = await refresh(token, {}, its);
      const [answerRow] = await rowsOf<{ seconds: number }>(stack, answersOf, [token]);
      assert.equal(answerRow?.seconds, seconds, JSON.stringify(fields));
      if (seconds !== undefined)
        await rowsOf(
          stack,
          `update sso.issuer_record set expires_at = now() where id = encode(sha256(convert_to('RefreshAnswer' || chr(10) || $1, 'utf8')), 'hex')`,
          [token],
        );
      assert.equal(errorIn(await refresh(token, {}, its)), 'invalid_grant');
      await assertEnded(first, its);
    }
    for (const RefreshReuseSeconds of [-1, 61]) {
      const App = { Name: 'Reports', Kind: 'web', RefreshReuseSeconds };
      assert.equal((await stack.call('Apps_Save', { App }, stack.platformKey)).status, 400);
    }
  });

  test('is not repeated once the session, the user, the consent or the app has ended', async () => {
    const asking = await createApp(stack, { RequireConsent: true });
    const its = await relyOn(stack, asking);
    const ends: Record<string, (who: typeof ada) => Promise<unknown>> = {
      session: ({ token }) => stack.call('Account_Logout', {}, token),
      user: ({ id }) => platform('Users_Disable', { UserID: id }),
      consent: ({ token }) => stack.call('AccountApps_Delete', { ID: asking.ID }, token),
      app: () => save({ ID: asking.ID, Active: false }),
    };
    for (const [cause, end] of Object.entries(ends)) {
      const who = await signUp(stack);
      const visitor = startVisitor(stack, who.token);
      const request = await ask(its);
      const page = await visitor.open(request.url);
      const tokens = await exchange(its, request, await answerConsent(visitor, page, 'yes'));
      const first = await refresh(tokens.refresh_token, {}, asking);
      assert.equal(first.status, 200, cause);
      await end(who);
      const refused = cause === 'app' ? 'invalid_client' : 'invalid_grant';
      assert.equal(errorIn(await refresh(tokens.refresh_token, {}, asking)), refused, cause);
      if (cause !== 'app') continue;
      await save({ ID: asking.ID, Active: true });
      assert.deepEqual(await refresh(tokens.refresh_token, {}, asking), first);
    }
  });

  test('is not repeated with rights that the app has lost since', async () => {
    const its = await createApp(stack);
    const over = { scope: 'openid app.reports.read', resource };
    const token = await newToken(over, await relyOn(stack, its));
    const first = await refresh(token, { resource }, its);
    assert.equal(first.body['scope'], 'app.reports.read');
    await save({ ID: its.ID, Scopes: ['openid', 'offline_access'] });
    assert.equal((await refresh(token, { resource }, its)).body['access_token'], undefined);
  });

  test('extends nothing when it is repeated: neither the session nor the token', async () => {
    const session = String(bodyOf(await login(stack, ada.email))['Token']);
    const { tokens } = await signInWith(stack, config, session);
    const token = tokens.refresh_token ?? '';
    const first = await refresh(token);
    const sid = tokens.claims()?.['sid'] as string;
    const ago = "now() - interval '5 minutes'";
    await rowsOf(stack, `update identity.session set last_seen_at = ${ago} where id = $1`, [sid]);
    const ends = () =>
      rowsOf(
        stack,
        `select expires_at from sso.issuer_record where model in ('RefreshToken', 'RefreshAnswer') and uid_hash =
           encode(sha256(convert_to('uid' || chr(10) || $1, 'utf8')), 'hex') order by expires_at`,
        [`${sid} ${app.ID}`],
      );
    const before = await ends();
    assert.equal(before.length, 3);
    assert.deepEqual(await refresh(token), first);
    assert.deepEqual(await ends(), before);
    const idle = `identity.session where id = $1 and last_seen_at < now() - interval '4 minutes'`;
    assert.equal(await countOf(stack, idle, [sid]), 1);
  });

  test('is kept sealed: the store has no token of the answer', async () => {
    const { first } = await usedToken();
    const rows = await rowsOf<{ text: string }>(
      stack,
      `select encode(payload_enc, 'escape') as text from sso.issuer_record where model = 'RefreshAnswer'`,
    );
    assert.ok(rows.length > 0);
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      const token = String(first.body[name]);
      const encoded = Buffer.from(token).toString('base64');
      for (const { text } of rows) assert.ok(!text.includes(token) && !text.includes(encoded));
    }
  });
});
