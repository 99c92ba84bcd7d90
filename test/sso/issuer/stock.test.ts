import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ask, callback, createApp, errorOf, exchange, relyOn } from './stage.ts';
import { startVisitor } from './visitor.ts';

// An app with oauth4webapi, which leaves each step to the app and checks each answer strictly.

const insecure = { [oauth.allowInsecureRequests]: true } as const;

describeOne('an app with oauth4webapi', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; email: string; token: string };
  let as: oauth.AuthorizationServer;
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
    const issuer = new URL(stack.url);
    as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    );
  });
  after(() => stack?.stop());

  /** Makes an app that pushes its requests and binds its tokens to a key. */
  async function prepare() {
    const { ID, secret } = await createApp(stack, { RequirePAR: true, DPoP: true });
    const client: oauth.Client = { client_id: ID };
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    return { client, auth: oauth.ClientSecretPost(secret), options: { ...insecure, DPoP } };
  }
  type ClientSetup = Awaited<ReturnType<typeof prepare>>;

  /** Pushes a request and opens it as a person. */
  async function authorize({ client, auth, options }: ClientSetup, session: string) {
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const parameters = {
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid email offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    };
    const { request_uri } = await oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(as, client, auth, parameters, options),
    );
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
    const visitor = startVisitor(stack, session);
    const { url: answer } = await visitor.open(url);
    return { visitor, answer, verifier, state, nonce };
  }
  type Authorization = Awaited<ReturnType<typeof authorize>>;

  async function redeem(
    { client, auth, options }: ClientSetup,
    { answer, verifier, state, nonce }: Authorization,
  ) {
    const parameters = oauth.validateAuthResponse(as, client, answer, state);
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      parameters,
      callback,
      verifier,
      options,
    );
    return oauth.processAuthorizationCodeResponse(as, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
  }

  test('pushes its request, gets bound tokens, refreshes, reads userinfo and signs out', async () => {
    const session = String(bodyOf(await login(stack, ada.email))['Token']);
    const prepared = await prepare();
    const { client, auth, options } = prepared;
    const authorized = await authorize(prepared, session);
    const tokens = await redeem(prepared, authorized);
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, ada.id);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', options),
    );
    assert.equal(refreshed.token_type, 'dpop');
    const claims = await oauth.processUserInfoResponse(
      as,
      client,
      ada.id,
      await oauth.userInfoRequest(as, client, refreshed.access_token, options),
    );
    assert.equal(claims.email, ada.email);
    const out = new URL(as.end_session_endpoint ?? '');
    out.searchParams.set('id_token_hint', refreshed.id_token ?? '');
    out.searchParams.set('post_logout_redirect_uri', 'https://app.example.test/');
    const { visitor } = authorized;
    const arrival = await visitor.sendForm(await visitor.open(out));
    assert.equal(arrival.url.href, 'https://app.example.test/');
    const late = oauth.refreshTokenGrantRequest(
      as,
      client,
      auth,
      refreshed.refresh_token ?? '',
      options,
    );
    const ended = oauth.processRefreshTokenResponse(as, client, await late);
    assert.equal(await errorOf(ended), 'invalid_grant');
  });

  test('refuses an answer of another issuer, state or sign-in', async () => {
    const prepared = await prepare();
    for (const [name, value] of [
      ['iss', 'https://other.example.test'],
      ['iss', ''],
      ['state', 'x'],
    ] as const) {
      const authorized = await authorize(prepared, ada.token);
      if (value === '') authorized.answer.searchParams.delete(name);
      else authorized.answer.searchParams.set(name, value);
      await assert.rejects(redeem(prepared, authorized), { code: oauth.INVALID_RESPONSE }, name);
    }
    const authorized = await authorize(prepared, ada.token);
    await assert.rejects(redeem(prepared, { ...authorized, nonce: 'x' }), {
      code: oauth.JWT_CLAIM_COMPARISON,
    });
  });

  test('openid-client refuses an answer of another issuer, state or nonce', async () => {
    const config = await relyOn(stack, await createApp(stack));
    for (const change of ['iss', 'state', 'nonce']) {
      const request = await ask(config);
      const arrival = await startVisitor(stack, ada.token).open(request.url);
      if (change === 'nonce') request.nonce = 'x';
      else arrival.url.searchParams.set(change, 'https://other.example.test');
      assert.notEqual(await errorOf(exchange(config, request, arrival)), 'none', change);
    }
  });
});
