import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { publicJwk } from '@bailiwick/sso/oidc/client-authentication.ts';
import type { OidcProvider } from '@bailiwick/sso/oidc/oidc.ts';
import {
  newFlow,
  type OidcClient,
  providerOf,
  redirectUri,
  refusalOf,
  startClient,
} from './client.ts';
import { type Op, type OpClient, startOp } from './op.ts';

const { clientSecret: secret } = providerOf('');
const ourKeys = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ed25519: generateKeyPairSync('ed25519').privateKey,
};
const jwks = { keys: Object.values(ourKeys).map(publicJwk) };
const client = (id: string, over: Partial<OpClient> = {}): OpClient => ({
  id,
  redirectUris: [redirectUri],
  secret,
  ...over,
});
const ada = {
  email: 'ada@example.com',
  email_verified: true,
  name: 'Ada',
  groups: ['engineers', 'on-call'],
};

const clients = [
  client('bailiwick'),
  client('post', { method: 'client_secret_post' }),
  client('secret-jwt', { method: 'client_secret_jwt' }),
  { id: 'key', redirectUris: [redirectUri], jwks },
  { id: 'public', redirectUris: [redirectUri], method: 'none' as const },
  ...(['PS256', 'ES256', 'EdDSA'] as const).map((idTokenAlgorithm) =>
    client(idTokenAlgorithm, { idTokenAlgorithm }),
  ),
];

const ways: ReadonlyArray<readonly [string, Partial<OidcProvider>]> = [
  ['a secret in the header', {}],
  ['a secret in the body', { clientId: 'post', tokenAuthMethod: 'client_secret_post' }],
  [
    'an assertion made with the secret',
    { clientId: 'secret-jwt', tokenAuthMethod: 'client_secret_jwt' },
  ],
  [
    'an assertion made with an RSA key',
    { clientId: 'key', tokenAuthMethod: 'private_key_jwt', privateKey: ourKeys.rsa },
  ],
  [
    'an assertion made with a P-256 key',
    { clientId: 'key', tokenAuthMethod: 'private_key_jwt', privateKey: ourKeys.p256 },
  ],
  [
    'an assertion made with an Ed25519 key',
    { clientId: 'key', tokenAuthMethod: 'private_key_jwt', privateKey: ourKeys.ed25519 },
  ],
  ['PKCE alone', { clientId: 'public', clientSecret: '', tokenAuthMethod: 'none' }],
  ['form_post', { responseMode: 'form_post' }],
  ['an ID token signed by PS256', { clientId: 'PS256' }],
  ['an ID token signed by ES256', { clientId: 'ES256' }],
  ['an ID token signed by EdDSA', { clientId: 'EdDSA' }],
];

describe('a sign-in at a provider that is not ours', () => {
  let op: Op;
  let oidc: OidcClient;
  before(async () => {
    op = await startOp({ clients });
    op.setAccount('ada', ada);
    oidc = startClient();
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
  });

  for (const [what, over] of ways) {
    test(`succeeds with ${what}`, async () => {
      const provider = providerOf(op.issuer, over);
      const { method, finish } = await oidc.signIn(provider, 'ada');
      assert.equal(method, provider.responseMode === 'form_post' ? 'POST' : 'GET');
      const { issuer, subject, claims } = await finish();
      assert.deepEqual([issuer, subject], [op.issuer, 'ada']);
      const { email, email_verified, name, groups } = claims;
      assert.deepEqual({ email, email_verified, name, groups }, ada);
    });
  }

  test('says whether the address is verified as the provider does', async () => {
    op.setAccount('bob', { ...ada, email: 'bob@example.com', email_verified: false });
    const { finish } = await oidc.signIn(providerOf(op.issuer), 'bob');
    assert.equal((await finish()).claims['email_verified'], false);
  });

  test('uses a code once', async () => {
    const { finish } = await oidc.signIn(providerOf(op.issuer), 'ada');
    await finish();
    const { reason, detail } = await refusalOf(finish);
    assert.equal(reason, 'ANSWER_INVALID');
    assert.match(
      detail,
      /token endpoint .* status 400, error invalid_grant \(the code was used before/,
    );
  });

  test('asks with everything that binds the answer to it', async () => {
    const flow = newFlow();
    const url = new URL(await oidc.begin(providerOf(op.issuer), flow));
    const { code_challenge, ...asked } = Object.fromEntries(url.searchParams);
    assert.match(code_challenge ?? '', /^[\w-]{43}$/);
    assert.deepEqual(asked, {
      client_id: 'bailiwick',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile groups',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge_method: 'S256',
    });
  });

  test('of another browser brings its code nowhere: neither the verifier nor the nonce fits', async () => {
    const provider = providerOf(op.issuer);
    const { parameters } = await oidc.signIn(provider, 'ada');
    const flow = newFlow();
    const swapped = () =>
      oidc.finish(
        provider,
        flow,
        { ...parameters, state: flow.state },
        new AbortController().signal,
      );
    assert.match((await refusalOf(swapped)).detail, /invalid_grant/);
  });

  test('that the person cancels is the provider’s refusal', async () => {
    const { finish } = await oidc.signIn(providerOf(op.issuer), '');
    const { reason, detail } = await refusalOf(finish);
    assert.deepEqual(
      [reason, detail],
      [
        'PROVIDER_REFUSED',
        'The provider has answered with an error, error access_denied (the person or the provider has declined).',
      ],
    );
  });

  test('with a wrong secret says what an administrator has to look at', async () => {
    const { finish } = await oidc.signIn(providerOf(op.issuer, { clientSecret: 'wrong' }), 'ada');
    assert.match(
      (await refusalOf(finish)).detail,
      /status 401, error invalid_client \(the client id, the client secret or the way/,
    );
  });

  test('that is called off ends at once', async () => {
    const provider = providerOf(op.issuer);
    const { flow, parameters } = await oidc.signIn(provider, 'ada');
    await assert.rejects(oidc.finish(provider, flow, parameters, AbortSignal.abort()), {
      code: 'unavailable',
      message: /called off/,
    });
  });

  test('logs neither tokens nor codes nor claims', async () => {
    const { parameters, finish } = await oidc.signIn(providerOf(op.issuer), 'ada');
    await finish();
    const logged = oidc.lines.join('\n');
    for (const text of [parameters['code'] ?? '?', secret, 'ada', 'eyJ'])
      assert.ok(!logged.includes(text), text);
  });
});

test('a sign-in asks the userinfo endpoint where the ID token holds no address', async () => {
  const op = await startOp({ clients, claimsInIdToken: false });
  const oidc = startClient();
  try {
    op.setAccount('ada', ada);
    const { finish } = await oidc.signIn(providerOf(op.issuer), 'ada');
    const { email, email_verified, name, groups, sub, aud } = (await finish()).claims;
    assert.deepEqual(
      { email, email_verified, name, groups, sub, aud },
      { ...ada, sub: 'ada', aud: 'bailiwick' },
    );
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('a sign-in finds a provider whose issuer has a path', async () => {
  const op = await startOp({ clients, path: '/realms/staff' });
  const oidc = startClient();
  try {
    op.setAccount('ada', ada);
    const { finish } = await oidc.signIn(providerOf(op.issuer), 'ada');
    assert.equal((await finish()).issuer, op.issuer);
    assert.match(
      (await refusalOf(() => oidc.begin(providerOf(`${op.issuer}/`), newFlow()))).detail,
      /to the letter, a slash at its end included/,
    );
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('a provider that changes its keys is followed at once, and without asking it at every unknown key', async () => {
  const op = await startOp({ clients });
  const oidc = startClient();
  const provider = providerOf(op.issuer);
  const again = () => oidc.lines.filter((line) => line.includes('fetched again')).length;
  try {
    op.setAccount('ada', ada);
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
    op.rotateKeys();
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
    assert.equal(again(), 1);
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
    assert.equal(again(), 1);
    // A second change within the minute has to wait for it, unless somebody says that it has happened.
    op.rotateKeys();
    assert.match(
      (await refusalOf((await oidc.signIn(provider, 'ada')).finish)).detail,
      /publishes no key/,
    );
    oidc.forget(op.issuer);
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('a provider that is away is unreachable, and found again when it is back', async () => {
  const op = await startOp({ clients });
  await op.stop();
  const oidc = startClient();
  try {
    const { reason, detail } = await refusalOf(() => oidc.begin(providerOf(op.issuer), newFlow()));
    assert.deepEqual(
      [reason, detail],
      [
        'PROVIDER_UNREACHABLE',
        'The discovery document cannot be fetched: the receiver does not accept connections.',
      ],
    );
  } finally {
    await oidc.stop();
  }
});
