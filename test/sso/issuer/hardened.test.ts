import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHmac, type webcrypto } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type ProvenRequest, verifier } from '@bailiwick/server/server.ts';
import { SignJWT } from 'jose';
import * as client from 'openid-client';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ask, createApp, errorOf, exchange, relyOn, resource } from './stage.ts';
import { startVisitor } from './visitor.ts';

// Proofs beyond a secret: a key of the app, pushed requests, tokens bound to a key.

const signing = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signJwt = (key: webcrypto.CryptoKey, claims: object) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(key);
const newPair = () => crypto.subtle.generateKey(signing, true, ['sign', 'verify']);

describeOne('an app that proves more than a secret', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  test('authenticates with its own key, and with no other', async () => {
    const [own, other] = await Promise.all([newPair(), newPair()]);
    const key = { ...(await crypto.subtle.exportKey('jwk', own.publicKey)), kid: 'k', use: 'sig' };
    const Jwks = JSON.stringify({ keys: [key] });
    const app = await createApp(stack, { TokenEndpointAuthMethod: 'private_key_jwt', Jwks });
    for (const [pair, outcome] of [
      [other, 'invalid_client'],
      [own, 'none'],
    ] as const) {
      const method = client.PrivateKeyJwt({ key: pair.privateKey, kid: 'k' });
      const config = await relyOn(stack, app, method);
      const request = await ask(config);
      const arrival = await startVisitor(stack, ada.token).open(request.url);
      assert.equal(await errorOf(exchange(config, request, arrival)), outcome);
    }
  });

  test('that has to push its requests is refused otherwise, and a pushed one works once', async () => {
    const config = await relyOn(stack, await createApp(stack, { RequirePAR: true }));
    const plain = await startVisitor(stack, ada.token).open((await ask(config)).url);
    assert.equal(plain.url.searchParams.get('error'), 'invalid_request');
    const request = await ask(config);
    const pushed = await client.buildAuthorizationUrlWithPAR(
      config,
      Object.fromEntries(request.url.searchParams),
    );
    const arrival = await startVisitor(stack, ada.token).open(pushed);
    assert.equal((await exchange(config, request, arrival)).claims()?.sub, ada.id);
    const again = await startVisitor(stack, ada.token).open(pushed);
    assert.equal(again.url.searchParams.get('error'), 'invalid_request_uri');
    assert.equal(again.url.searchParams.get('code'), null);
  });

  test('that signs its requests gets the signed values, and nothing that the address adds', async () => {
    const [own, other] = await Promise.all([newPair(), newPair()]);
    const key = { ...(await crypto.subtle.exportKey('jwk', own.publicKey)), kid: 'k', use: 'sig' };
    const Jwks = JSON.stringify({ keys: [key] });
    const app = await createApp(stack, { TokenEndpointAuthMethod: 'private_key_jwt', Jwks });
    const config = await relyOn(
      stack,
      app,
      client.PrivateKeyJwt({ key: own.privateKey, kid: 'k' }),
    );
    const sign = (params: Record<string, string>, key = own.privateKey) =>
      client.buildAuthorizationUrlWithJAR(config, params, { key, kid: 'k' });
    const open = (url: URL) => startVisitor(stack, ada.token).open(url);

    const request = await ask(config, { scope: 'openid' });
    const params = Object.fromEntries(request.url.searchParams);
    const signed = await sign(params);
    signed.searchParams.set('scope', 'openid email');
    signed.searchParams.set('redirect_uri', 'https://evil.example.com/');
    const tokens = await exchange(config, request, await open(signed));
    assert.equal(tokens.claims()?.sub, ada.id);
    assert.doesNotMatch(String(tokens.scope), /email/);
    assert.equal(tokens.claims()?.['email'], undefined);

    // A pushed one, too.
    const again = await ask(config);
    const { searchParams } = await sign(Object.fromEntries(again.url.searchParams));
    const pushed = await client.buildAuthorizationUrlWithPAR(config, searchParams);
    assert.equal((await exchange(config, again, await open(pushed))).claims()?.sub, ada.id);

    const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { ...params, iss: app.ID, aud: stack.url, exp: seconds + 60 };
    const unsigned = (header: object, content: object, secret?: string) => {
      const text = `${part(header)}.${part(content)}`;
      const mac =
        secret === undefined ? '' : createHmac('sha256', secret).update(text).digest('base64url');
      return `${text}.${mac}`;
    };
    const mixed = { ...claims, client_id: (await createApp(stack)).ID };
    const refused = {
      'another key': (await sign(params, other.privateKey)).searchParams.get('request') ?? '',
      'no signature': unsigned({ alg: 'none' }, claims),
      'an HMAC with a guessed secret': unsigned({ alg: 'HS256' }, claims, 'hashed'),
      'an HMAC with the public key': unsigned(
        { alg: 'HS256', kid: 'k' },
        claims,
        JSON.stringify(key),
      ),
      'another app': await signJwt(own.privateKey, mixed),
      'another issuer': await signJwt(own.privateKey, {
        ...claims,
        aud: 'https://other.example.com',
      }),
      'no issuer': await signJwt(own.privateKey, { ...claims, aud: undefined }),
      'an end in the past': await signJwt(own.privateKey, { ...claims, exp: seconds - 60 }),
      'no end': await signJwt(own.privateKey, { ...claims, exp: undefined }),
    };
    for (const [title, jwt] of Object.entries(refused)) {
      const url = new URL(request.url);
      url.searchParams.set('request', jwt);
      const arrival = await open(url);
      assert.equal(arrival.url.searchParams.get('code'), null, title);
      const error = arrival.url.searchParams.get('error');
      // Without a verified request there may be no address to return to.
      assert.ok(error === 'invalid_request_object' || arrival.status === 400, `${title}: ${error}`);
    }
  });

  test('with DPoP gets tokens that work only with its key, and each proof once', async () => {
    const config = await relyOn(stack, await createApp(stack, { DPoP: true }));
    const DPoP = client.getDPoPHandle(config, await newPair());
    const request = await ask(config);
    const arrival = await startVisitor(stack, ada.token).open(request.url);
    assert.equal(await errorOf(exchange(config, request, arrival)), 'invalid_grant');
    const again = await ask(config);
    const back = await startVisitor(stack, ada.token).open(again.url);
    const tokens = await client.authorizationCodeGrant(
      config,
      back.url,
      {
        pkceCodeVerifier: again.verifier,
        expectedState: again.state,
        expectedNonce: again.nonce,
      },
      {},
      { DPoP },
    );
    assert.equal(tokens.token_type, 'dpop');
    const claims = await client.fetchUserInfo(config, tokens.access_token, ada.id, { DPoP });
    assert.equal(claims.sub, ada.id);
    const thief = client.getDPoPHandle(config, await newPair());
    assert.notEqual(
      await errorOf(client.fetchUserInfo(config, tokens.access_token, ada.id, { DPoP: thief })),
      'none',
    );
  });

  test('a service that verifies offline accepts a bound token with a proof of its key only', async () => {
    const app = await createApp(stack, {
      Kind: 'service',
      RedirectURIs: [],
      PostLogoutRedirectURIs: [],
      Scopes: ['app.reports.read'],
      DPoP: true,
    });
    const config = await relyOn(stack, app);
    const DPoP = client.getDPoPHandle(config, await newPair());
    const parameters = { resource, scope: 'app.reports.read' };
    const { access_token: token } = await client.clientCredentialsGrant(config, parameters, {
      DPoP,
    });
    const requests: ProvenRequest[] = [];
    config[client.customFetch] = (url, { method, headers }) => {
      const proof = new Headers(headers).get('dpop') ?? undefined;
      requests.push({ method, url, proof });
      return Promise.resolve(new Response('{}'));
    };
    const call = (with_: client.DPoPHandle) =>
      client.fetchProtectedResource(
        config,
        token,
        new URL(`${resource}/reports`),
        'GET',
        null,
        new Headers(),
        { DPoP: with_ },
      );
    await call(DPoP);
    await call(client.getDPoPHandle(config, await newPair()));
    const verify = verifier({ issuer: stack.url, audience: resource });
    const [own, foreign] = requests;
    assert.equal((await verify(token, own)).client_id, app.ID);
    await assert.rejects(verify(token, own), /used before/);
    await assert.rejects(verify(token, foreign), /of another key/);
    await assert.rejects(verify(token), /no bearer token/);
  });

  test('a DPoP proof is accepted once, of 50 uses at once', async () => {
    const config = await relyOn(stack, await createApp(stack, { DPoP: true }));
    const DPoP = client.getDPoPHandle(config, await newPair());
    const request = await ask(config);
    const arrival = await startVisitor(stack, ada.token).open(request.url);
    const checks = {
      pkceCodeVerifier: request.verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
    };
    const { access_token: token } = await client.authorizationCodeGrant(
      config,
      arrival.url,
      checks,
      {},
      { DPoP },
    );
    let proof = '';
    config[client.customFetch] = (_url, options) => {
      proof = new Headers(options.headers).get('dpop') ?? proof;
      return Promise.reject(new Error('not sent'));
    };
    await errorOf(client.fetchUserInfo(config, token, ada.id, { DPoP }));
    const headers = { authorization: `DPoP ${token}`, dpop: proof };
    const used = await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${stack.url}/oauth/userinfo`, { headers })),
    );
    assert.equal(used.filter(({ status }) => status === 200).length, 1);
  });
});
