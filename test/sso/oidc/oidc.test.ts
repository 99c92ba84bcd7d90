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

const clientMethods: ReadonlyArray<readonly [string, Partial<OidcProvider>]> = [
  ['a secret in the header', {}],
  ['a secret in the body', { clientId: 'post', tokenAuthMethod: 'client_secret_post' }],
  [
    'a client assertion signed with the secret',
    { clientId: 'secret-jwt', tokenAuthMethod: 'client_secret_jwt' },
  ],
  [
    'a client assertion signed with an RSA key',
    { clientId: 'key', tokenAuthMethod: 'private_key_jwt', privateKey: ourKeys.rsa },
  ],
  [
    'a client assertion signed with a P-256 key',
    { clientId: 'key', tokenAuthMethod: 'private_key_jwt', privateKey: ourKeys.p256 },
  ],
  [
    'a client assertion signed with an Ed25519 key',
    { clientId: 'key', tokenAuthMethod: 'private_key_jwt', privateKey: ourKeys.ed25519 },
  ],
  ['PKCE alone', { clientId: 'public', clientSecret: '', tokenAuthMethod: 'none' }],
  ['form_post', { responseMode: 'form_post' }],
  ['an ID token signed by PS256', { clientId: 'PS256' }],
  ['an ID token signed by ES256', { clientId: 'ES256' }],
  ['an ID token signed by EdDSA', { clientId: 'EdDSA' }],
];

describe('an OIDC sign-in at oidc-provider', () => {
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

  for (const [what, over] of clientMethods) {
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

  test('returns email_verified as the provider sends it', async () => {
    op.setAccount('bob', { ...ada, email: 'bob@example.com', email_verified: false });
    const { finish } = await oidc.signIn(providerOf(op.issuer), 'bob');
    assert.equal((await finish()).claims['email_verified'], false);
  });

  test('accepts a code once', async () => {
    const { finish } = await oidc.signIn(providerOf(op.issuer), 'ada');
    await finish();
    const { reason, detail } = await refusalOf(finish);
    assert.equal(reason, 'ANSWER_INVALID');
    assert.match(
      detail,
      /token endpoint .* status 400, error invalid_grant \(the code was used before/,
    );
  });

  test('sends state, nonce and a PKCE challenge', async () => {
    const flow = newFlow();
    const url = new URL(await oidc.begin(providerOf(op.issuer), flow));
    const { code_challenge, ...query } = Object.fromEntries(url.searchParams);
    assert.match(code_challenge ?? '', /^[\w-]{43}$/);
    assert.deepEqual(query, {
      client_id: 'bailiwick',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile groups',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge_method: 'S256',
    });
    const asking = new URL(await oidc.begin(providerOf(op.issuer), flow, 'pt-BR'));
    assert.equal(asking.searchParams.get('ui_locales'), 'pt-BR');
  });

  test('rejects the code of another browser, since the PKCE verifier does not match', async () => {
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

  test('fails with PROVIDER_REFUSED if the user cancels', async () => {
    const { finish } = await oidc.signIn(providerOf(op.issuer), '');
    const { reason, detail } = await refusalOf(finish);
    assert.deepEqual(
      [reason, detail],
      [
        'PROVIDER_REFUSED',
        'The provider has answered with an error, error access_denied (the person or the provider has declined). It says: “cancelled”',
      ],
    );
  });

  test('with a wrong client secret names the settings to check', async () => {
    const { finish } = await oidc.signIn(providerOf(op.issuer, { clientSecret: 'wrong' }), 'ada');
    assert.match(
      (await refusalOf(finish)).detail,
      /status 401, error invalid_client \(the client id, the client secret or the way/,
    );
  });

  test('stops at once when it is aborted', async () => {
    const provider = providerOf(op.issuer);
    const { flow, parameters } = await oidc.signIn(provider, 'ada');
    await assert.rejects(oidc.finish(provider, flow, parameters, AbortSignal.abort()), {
      code: 'unavailable',
      message: /cancelled/,
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

test('an OIDC sign-in calls the userinfo endpoint if the ID token has no address', async () => {
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

test('an OIDC sign-in supports an issuer with a path', async () => {
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

test('OIDC fetches the keys again for a new key id, but not for every unknown one', async () => {
  const op = await startOp({ clients });
  const oidc = startClient();
  const provider = providerOf(op.issuer);
  const refetches = () =>
    oidc.lines.filter((line) => line.includes('fetching its keys again')).length;
  try {
    op.setAccount('ada', ada);
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
    op.rotateKeys();
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
    assert.equal(refetches(), 1);
    assert.equal((await (await oidc.signIn(provider, 'ada')).finish()).subject, 'ada');
    assert.equal(refetches(), 1);
    // A second rotation within a minute waits for the minute to pass, unless the cache is cleared.
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

test('OIDC fails with PROVIDER_UNREACHABLE while the provider is down', async () => {
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
