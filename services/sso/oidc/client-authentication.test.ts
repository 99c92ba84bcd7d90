import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import {
  authenticationOf,
  normaliseSigningKey,
  publicJwk,
  readSigningKey,
} from './client-authentication.ts';
import type { OidcProvider } from './provider.ts';

const server = {
  issuer: 'https://login.example.com',
  token_endpoint: 'https://login.example.com/token',
};
const provider: OidcProvider = {
  issuer: server.issuer,
  clientId: 'a client',
  clientSecret: 'a:secret/+',
  tokenAuthMethod: 'client_secret_basic',
  scopes: [],
  responseMode: 'query',
  redirectUri: 'https://bailiwick.example/callback',
  claims: [],
};

async function authenticate(overrides: Partial<OidcProvider>) {
  const [body, headers] = [new URLSearchParams(), new Headers()];
  await (await authenticationOf({ ...provider, ...overrides }))(
    server,
    { client_id: provider.clientId },
    body,
    headers,
  );
  return { body: Object.fromEntries(body), headers: Object.fromEntries(headers) };
}

test('a client secret is sent in the header or in the body only', async () => {
  const basic = await authenticate({});
  assert.deepEqual(basic.body, {});
  assert.equal(
    Buffer.from(basic.headers['authorization']?.slice('Basic '.length) ?? '', 'base64').toString(),
    'a+client:a%3Asecret%2F%2B',
  );
  assert.deepEqual(await authenticate({ tokenAuthMethod: 'client_secret_post' }), {
    body: { client_id: 'a client', client_secret: 'a:secret/+' },
    headers: {},
  });
  assert.deepEqual(await authenticate({ tokenAuthMethod: 'none' }), {
    body: { client_id: 'a client' },
    headers: {},
  });
});

const kinds = [
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'sha256'],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sha256'],
  ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey, 'sha384'],
  ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey, 'sha512'],
  ['EdDSA', generateKeyPairSync('ed25519').privateKey, null],
] as const;
for (const [alg, privateKey, digest] of kinds) {
  test(`a client assertion by ${alg} is for this provider, short-lived, and verifiable with the published key`, async () => {
    const { body } = await authenticate({ tokenAuthMethod: 'private_key_jwt', privateKey });
    const [header = '', payload = '', signature = ''] = (body['client_assertion'] ?? '').split('.');
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    const published = publicJwk(privateKey);
    assert.deepEqual(read(header), { alg, kid: published.kid });
    const { iss, sub, aud, exp, iat, jti } = read(payload);
    assert.deepEqual(
      [iss, sub, aud, Number(exp) - Number(iat)],
      ['a client', 'a client', server.issuer, 60],
    );
    assert.ok(typeof jti === 'string' && jti.length > 20);
    const key = createPublicKey({ key: { ...published }, format: 'jwk' });
    assert.ok(
      verify(
        digest,
        Buffer.from(`${header}.${payload}`),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    );
    assert.ok(!('d' in published) && !JSON.stringify(published).includes('"d"'));
  });
}

test('a signed client secret has the claims that Apple names, for five minutes', async () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const signer = { key, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' };
  const overrides = { tokenAuthMethod: 'client_secret_post', secretSigner: signer } as const;
  const { body, headers } = await authenticate({ ...overrides, clientSecret: '' });
  assert.deepEqual([Object.keys(body), headers], [['client_id', 'client_secret'], {}]);
  const [header = '', payload = '', signature = ''] = (body['client_secret'] ?? '').split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.deepEqual(read(header), { alg: 'ES256', kid: 'ABC123DEFG' });
  const { iat, ...claims } = read(payload);
  assert.ok(Math.abs(iat - Date.now() / 1000) < 60);
  const names = { iss: 'DEF123GHIJ', sub: 'a client', aud: server.issuer };
  assert.deepEqual(claims, { ...names, exp: iat + 300 });
  const published = createPublicKey(key);
  const text = Buffer.from(`${header}.${payload}`);
  const by = { key: published, dsaEncoding: 'ieee-p1363' } as const;
  assert.ok(verify('sha256', text, by, Buffer.from(signature, 'base64url')));
});

test('only a P-256 private key without a password signs client secrets', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey, publicKey } = pair;
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  assert.ok(readSigningKey(pem));
  assert.equal(normaliseSigningKey(` \n${pem.replaceAll('\n', '\r\n')}\n`), pem);
  const locked = { cipher: 'aes-256-cbc', passphrase: 'x' };
  const others = [
    '',
    'x',
    pem.slice(0, -40),
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey.export({ type: 'pkcs8', format: 'pem', ...locked }).toString(),
    ...[
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
      generateKeyPairSync('ed25519').privateKey,
    ].map((key) => key.export({ type: 'pkcs8', format: 'pem' }).toString()),
  ];
  for (const other of others) assert.equal(readSigningKey(other), undefined, other);
});

test('client authentication without a secret or key is refused with a clear detail', async () => {
  await assert.rejects(authenticate({ clientSecret: '' }), {
    reason: 'ANSWER_INVALID',
    detail: /no client secret/,
  });
  await assert.rejects(authenticate({ tokenAuthMethod: 'private_key_jwt' }), {
    reason: 'ANSWER_INVALID',
    detail: /no key/,
  });
});

test('the kid of a key is its RFC 7638 thumbprint', () => {
  // RFC 7638 §3.1.
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  assert.equal(publicJwk(key).kid, 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
});
