import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { OidcProvider } from '@bailiwick/sso/oidc/oidc.ts';
import type { Finding } from '@bailiwick/sso/results.ts';
import { type OidcClient, providerOf, redirectUri, startClient } from './client.ts';
import { type EvilOp, startEvilOp } from './evil-op.ts';
import type { Forgery } from './forgeries/forgery.ts';
import { type Op, startOp } from './op.ts';

const { clientSecret: secret } = providerOf('');
const ask = (oidc: OidcClient, provider: OidcProvider) =>
  oidc.check(provider, new AbortController().signal);
const levels = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, level }) => [check, level]));
const messageOf = (findings: readonly Finding[], check: string) =>
  findings.find((finding) => finding.check === check)?.message ?? '';

describe('Sso_TestProvider with oidc-provider', () => {
  let op: Op;
  let oidc: OidcClient;
  before(async () => {
    op = await startOp({ clients: [{ id: 'bailiwick', redirectUris: [redirectUri], secret }] });
    oidc = startClient();
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
  });

  test('reports ok for every check, and the redirect URI to register', async () => {
    const findings = await ask(oidc, providerOf(op.issuer));
    assert.deepEqual(levels(findings), {
      discovery: 'ok',
      endpoints: 'ok',
      keys: 'ok',
      response_type: 'ok',
      response_mode: 'ok',
      pkce: 'ok',
      client_authentication: 'ok',
      scopes: 'ok',
      email_verified: 'ok',
      redirect_address: 'ok',
      authorization_endpoint: 'ok',
      client: 'ok',
    });
    assert.match(messageOf(findings, 'redirect_address'), new RegExp(`Register ${redirectUri} `));
  });

  test('reports an unregistered redirect URI', async () => {
    const findings = await ask(
      oidc,
      providerOf(op.issuer, { redirectUri: 'http://127.0.0.1:9/other' }),
    );
    assert.equal(levels(findings)['authorization_endpoint'], 'error');
    assert.match(
      messageOf(findings, 'authorization_endpoint'),
      /status 400\. .* http:\/\/127\.0\.0\.1:9\/other registered/,
    );
  });

  test('reports an unknown client id and a wrong client secret', async () => {
    const unknown = await ask(oidc, providerOf(op.issuer, { clientId: 'another' }));
    assert.deepEqual(
      [levels(unknown)['authorization_endpoint'], levels(unknown)['client']],
      ['error', 'error'],
    );
    const wrong = await ask(oidc, providerOf(op.issuer, { clientSecret: 'wrong' }));
    assert.deepEqual(
      [levels(wrong)['authorization_endpoint'], levels(wrong)['client']],
      ['ok', 'error'],
    );
    assert.match(messageOf(wrong, 'client'), /the client secret or the way they are sent/);
  });

  test('reports the scopes that the provider does not support', async () => {
    const findings = await ask(oidc, providerOf(op.issuer, { scopes: ['email', 'pigeons'] }));
    assert.match(messageOf(findings, 'scopes'), /: pigeons\.$/);
  });

  test('leaves no session at the provider', async () => {
    op.setAccount('ada', { email: 'ada@example.com' });
    await ask(oidc, providerOf(op.issuer));
    assert.equal((await (await oidc.signIn(providerOf(op.issuer), 'ada')).finish()).subject, 'ada');
  });
});

const set =
  (name: string, value: unknown): NonNullable<Forgery['discovery']> =>
  (document) =>
    void (document[name] = value);
const cases: ReadonlyArray<readonly [string, Forgery, string, Finding['level'], RegExp]> = [
  [
    'a different issuer',
    { discovery: set('issuer', 'https://x.example') },
    'discovery',
    'error',
    /to the letter/,
  ],
  [
    'no discovery document',
    {
      raw: {
        '/.well-known/openid-configuration': (response) => void response.writeHead(404).end(),
      },
    },
    'discovery',
    'error',
    /status 404/,
  ],
  [
    'an endpoint in a private network',
    { discovery: set('token_endpoint', 'https://10.0.0.1/') },
    'endpoints',
    'error',
    /token_endpoint must be a public address/,
  ],
  [
    'an endpoint over http',
    { discovery: set('userinfo_endpoint', 'http://example.com/') },
    'endpoints',
    'error',
    /userinfo_endpoint must begin with https/,
  ],
  [
    'no token endpoint',
    { discovery: set('token_endpoint', undefined) },
    'endpoints',
    'error',
    /token_endpoint is missing/,
  ],
  [
    'a token endpoint URL that is too long',
    { discovery: set('token_endpoint', `https://example.com/${'x'.repeat(2048)}`) },
    'endpoints',
    'error',
    /token_endpoint is missing/,
  ],
  [
    'no keys',
    { keys: (published) => void (published['keys'] = []) },
    'keys',
    'error',
    /None of the keys/,
  ],
  [
    'keys of an unsupported type',
    { discovery: set('id_token_signing_alg_values_supported', ['ES256']) },
    'keys',
    'error',
    /None of the keys/,
  ],
  [
    'HMAC alone',
    { discovery: set('id_token_signing_alg_values_supported', ['HS256', 'none']) },
    'keys',
    'error',
    /no algorithm .* allowed/,
  ],
  [
    'only the implicit flow',
    { discovery: set('response_types_supported', ['id_token']) },
    'response_type',
    'error',
    /code flow/,
  ],
  [
    'fragments alone',
    { discovery: set('response_modes_supported', ['fragment']) },
    'response_mode',
    'error',
    /query, but: fragment/,
  ],
  [
    'PKCE without S256',
    { discovery: set('code_challenge_methods_supported', ['plain']) },
    'pkce',
    'error',
    /not with S256/,
  ],
  [
    'no PKCE in its metadata',
    { discovery: set('code_challenge_methods_supported', undefined) },
    'pkce',
    'warning',
    /sent anyway/,
  ],
  [
    'other client authentication',
    { discovery: set('token_endpoint_auth_methods_supported', ['none']) },
    'client_authentication',
    'error',
    /client_secret_basic for clients, but: none/,
  ],
  [
    'no email_verified in its metadata',
    { discovery: set('claims_supported', ['sub']) },
    'email_verified',
    'warning',
    /asserts as verified/,
  ],
  [
    'a page at the authorization endpoint',
    { raw: { '/authorize': (response) => void response.end('<html>') } },
    'authorization_endpoint',
    'warning',
    /cannot be determined/,
  ],
  [
    'a redirect to another address',
    {
      raw: {
        '/authorize': (response) => void response.writeHead(302, { location: '/login' }).end(),
      },
    },
    'authorization_endpoint',
    'warning',
    /cannot be determined/,
  ],
  [
    'an error at the redirect URI',
    { answer: (answer) => answer.set('error', 'invalid_scope') },
    'authorization_endpoint',
    'error',
    /does not know one of the scopes/,
  ],
  [
    'a broken token endpoint',
    { raw: { '/token': (response) => void response.writeHead(500).end() } },
    'client',
    'warning',
    /status 500/,
  ],
];

describe('Sso_TestProvider, for a provider with', () => {
  let op: EvilOp;
  let oidc: OidcClient;
  before(async () => {
    op = await startEvilOp();
    oidc = startClient();
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
  });

  for (const [fault, forgery, check, level, message] of cases) {
    test(`${fault}, reports it`, async () => {
      op.arm();
      assert.deepEqual(
        Object.values(levels(await ask(oidc, providerOf(op.issuer)))).filter(
          (level) => level !== 'ok',
        ),
        [],
      );
      op.forge(forgery);
      const findings = await ask(oidc, providerOf(op.issuer));
      assert.equal(levels(findings)[check], level);
      assert.match(messageOf(findings, check), message);
      assert.doesNotMatch(JSON.stringify(findings), new RegExp(secret));
    });
  }

  test('a missing client secret or key, reports it', async () => {
    op.forge({
      discovery: set('token_endpoint_auth_methods_supported', [
        'client_secret_jwt',
        'private_key_jwt',
        'client_secret_basic',
      ]),
    });
    const of = async (over: Partial<OidcProvider>) =>
      messageOf(await ask(oidc, providerOf(op.issuer, over)), 'client_authentication');
    assert.match(await of({ clientSecret: '' }), /no client secret/);
    assert.match(await of({ tokenAuthMethod: 'private_key_jwt' }), /no key/);
    op.forge({
      discovery: (document) =>
        void Object.assign(document, {
          token_endpoint_auth_methods_supported: ['private_key_jwt'],
          token_endpoint_auth_signing_alg_values_supported: ['PS256'],
        }),
    });
    const { privateKey } = generateKeyPairSync('ed25519');
    assert.match(
      await of({ tokenAuthMethod: 'private_key_jwt', privateKey }),
      /made with EdDSA, and the provider announces: PS256/,
    );
  });

  test('a corrected fault, makes sign-ins work at once', async () => {
    op.forge({ discovery: set('token_endpoint', `${op.issuer}/gone`) });
    const provider = providerOf(op.issuer);
    await assert.rejects((await oidc.signIn(provider, '')).finish);
    op.arm();
    await ask(oidc, provider);
    assert.equal((await (await oidc.signIn(provider, '')).finish()).subject, 'mallory');
  });
});
