import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { OidcProvider } from '@bailiwick/sso/oidc/oidc.ts';
import { newFlow, type OidcClient, providerOf, refusalOf, startClient } from './client.ts';
import { type EvilOp, evilAccount, startEvilOp } from './evil-op.ts';
import { type ForgeryName, forgeries } from './forgeries/forgeries.ts';

const { clientSecret } = providerOf('');
/** Texts that a refusal must not contain. */
const forbidden = [clientSecret, evilAccount.email, 'eyJ', '<', '169.254'];

describe('OIDC rejects the sign-in if the provider answers with', () => {
  let op: EvilOp;
  let oidc: OidcClient;
  let provider: OidcProvider;
  before(async () => {
    op = await startEvilOp({ clientSecret });
    oidc = startClient({ totalMs: 3000 });
    provider = providerOf(op.issuer);
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
  });

  async function signIn(): Promise<
    Awaited<ReturnType<Awaited<ReturnType<OidcClient['signIn']>>['finish']>>
  > {
    oidc.forget(op.issuer);
    return (await oidc.signIn(provider, '')).finish();
  }

  for (const [name, { reason = 'ANSWER_INVALID', detail = /./ }] of Object.entries(forgeries)) {
    test(name, async () => {
      op.arm();
      const { subject, claims } = await signIn();
      assert.deepEqual(
        [subject, claims['email'], claims['email_verified']],
        [evilAccount.sub, evilAccount.email, true],
      );
      op.arm(name as ForgeryName);
      const started = performance.now();
      const refusal = await refusalOf(signIn);
      assert.ok(performance.now() - started < 8000, `${performance.now() - started} ms`);
      assert.equal(refusal.reason, reason, refusal.detail);
      assert.match(refusal.detail, detail);
      for (const text of forbidden)
        assert.ok(!refusal.detail.includes(text) && !oidc.lines.join().includes(text), text);
      assert.deepEqual(
        op.requested().filter((path) => path.startsWith('/forged')),
        [],
      );
    });
  }
});

describe('the egress guard checks every URL of a provider:', () => {
  let op: EvilOp;
  let oidc: OidcClient;
  let target = '';
  const reached: string[] = [];
  const inside = createServer(({ url = '' }, response) => {
    reached.push(url);
    response.end('{}');
  });
  before(async () => {
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve));
    target = `http://127.0.0.2:${(inside.address() as AddressInfo).port}`;
    op = await startEvilOp();
    oidc = startClient({ hosts: ['127.0.0.1'], cidrs: [] });
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
    await new Promise((resolve) => inside.close(resolve));
  });

  for (const endpoint of [
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'authorization_endpoint',
  ] as const) {
    test(`the ${endpoint}`, async () => {
      const signIn = async () => (await oidc.signIn(providerOf(op.issuer), '')).finish();
      op.arm();
      oidc.forget(op.issuer);
      assert.equal((await signIn()).subject, evilAccount.sub);
      oidc.forget(op.issuer);
      op.forge({
        discovery: (document) => void (document[endpoint] = `${target}/${endpoint}`),
        userinfo: () => {},
      });
      const { reason, detail } = await refusalOf(signIn);
      assert.equal(reason, 'ANSWER_INVALID');
      assert.match(detail, /address is not allowed|must begin with https/);
      assert.deepEqual(reached, []);
    });
  }

  test('redirects', async () => {
    for (const path of ['/.well-known/openid-configuration', '/keys', '/token', '/userinfo']) {
      oidc.forget(op.issuer);
      op.forge({
        userinfo: () => {},
        raw: { [path]: (response) => void response.writeHead(307, { location: target }).end() },
      });
      assert.match(
        (await refusalOf(async () => (await oidc.signIn(providerOf(op.issuer), '')).finish()))
          .detail,
        /redirects are not followed/,
        path,
      );
    }
    assert.deepEqual(reached, []);
  });

  test('the issuer', async () => {
    for (const issuer of [
      target,
      'http://169.254.169.254',
      'http://login.example.com',
      'https://10.0.0.1',
      'https://user:password@127.0.0.1',
      'file:///etc',
    ]) {
      assert.match(
        (await refusalOf(() => oidc.begin(providerOf(issuer), newFlow()))).detail,
        /^The issuer must/,
        issuer,
      );
    }
    assert.deepEqual(reached, []);
  });
});

test('OIDC rejects the response of another provider (mix-up attack)', async () => {
  const [honest, evil] = [await startEvilOp(), await startEvilOp()];
  const oidc = startClient();
  try {
    const flow = newFlow();
    // The user starts at the evil provider, which redirects to the honest one. The client must not
    // send the honest provider's code to the evil one.
    const authorizationUrl = new URL(await oidc.begin(providerOf(evil.issuer), flow));
    const { parameters } = await oidc.signIn(providerOf(honest.issuer), '');
    evil.arm();
    const mixedUp = () =>
      oidc.finish(
        providerOf(evil.issuer),
        flow,
        { ...parameters, state: authorizationUrl.searchParams.get('state') ?? '' },
        new AbortController().signal,
      );
    assert.match(
      (await refusalOf(mixedUp)).detail,
      /from another provider than the request went to/,
    );
    assert.deepEqual(evil.requested(), []);
  } finally {
    await oidc.stop();
    await honest.stop();
    await evil.stop();
  }
});

test('OIDC accepts a provider’s clock that is up to three minutes slow or fast', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const now = Math.floor(Date.now() / 1000);
  try {
    for (const times of [
      { iat: now - 450, exp: now - 150 },
      { iat: now + 150, nbf: now + 150, exp: now + 450 },
    ]) {
      op.forge({ token: (_header, claims) => void Object.assign(claims, times) });
      assert.equal(
        (await (await oidc.signIn(providerOf(op.issuer), '')).finish()).subject,
        evilAccount.sub,
      );
    }
  } finally {
    await oidc.stop();
    await op.stop();
  }
});
