import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { durationMs } from '@bufbuild/protobuf/wkt';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createAccessTokens } from './access-tokens.ts';

const publicUrl = 'https://id.example.com';
const now = Math.floor(Date.now() / 1000);
const person = {
  sub: 'usr_1',
  client_id: 'app_1',
  sid: 'ses_1',
  scope: 'account app.reports.read iam.groups.read',
  aud: publicUrl,
  iss: publicUrl,
  iat: now,
  exp: now + 3600,
  jti: 'j',
};
const bot = {
  ...person,
  sub: 'bot_1',
  client_id: 'bot_1',
  sid: undefined,
  credential: 'bky_1',
  tenant: 'tnt_1',
};

async function setUp() {
  const [es, other, rsa] = await Promise.all([
    generateKeyPair('ES256', { extractable: true }),
    generateKeyPair('ES256', { extractable: true }),
    generateKeyPair('RS256', { extractable: true }),
  ]);
  const jwk = async (key: CryptoKey, kid: string, alg: string) => ({
    ...(await exportJWK(key)),
    kid,
    alg,
  });
  const keys = [await jwk(rsa.privateKey, 'rsa', 'RS256'), await jwk(es.privateKey, 'es', 'ES256')];
  const app = {
    tenant: '',
    resources: [publicUrl],
    scopes: ['account', 'app.*'],
    lockedAt: null as string | null,
  };
  const withdrawn = { id: '' };
  const verify = createAccessTokens({
    publicUrl,
    signingKeys: {
      current: () => Promise.resolve(keys as never),
      has: (id) => Promise.resolve(id !== withdrawn.id),
    },
    findClient: (id) =>
      Promise.resolve({ app_1: { app }, app_t: { app: { ...app, tenant: 'tnt_1' } } }[id] as never),
  });
  const header = { alg: 'ES256', typ: 'at+jwt', kid: 'es' };
  const sign = (claims: object, over: object = {}, key: CryptoKey = es.privateKey) =>
    new SignJWT({ ...claims }).setProtectedHeader({ ...header, ...over }).sign(key);
  const refuses = async (token: string | Promise<string>, message = /valid credential/) =>
    assert.rejects(verify(await token), { code: 'unauthenticated', message });
  return { verify, sign, refuses, es, other, rsa, withdrawn, app };
}

test('a token of a person has the scopes that its app may still have', async () => {
  const { verify, sign } = await setUp();
  const { scopes, ...claims } = await verify(await sign(person));
  assert.deepEqual(scopes, ['account', 'app.reports.read']);
  assert.equal(claims.sessionId, 'ses_1');
  assert.equal(Number(claims.expiresAt.seconds), person.exp);
  const all = await verify(await sign({ ...person, client_id: 'app_t', tenant: 'tnt_1' }));
  assert.equal(all.tenant, 'tnt_1');
});

test('a token from before the last lock of its app is refused, however the app is now', async () => {
  const { verify, sign, refuses, app } = await setUp();
  app.lockedAt = new Date((now - 60) * 1000).toISOString();
  await refuses(sign({ ...person, iat: now - 61 }));
  // As if signed before the lock, by a process whose clock runs ahead.
  await refuses(sign({ ...person, iat: now - 56 }));
  await verify(await sign({ ...person, iat: now - 54 }));
});

test('a token is refused once its key is withdrawn, though this process still has the key', async () => {
  const { verify, sign, refuses, withdrawn } = await setUp();
  const token = await sign(person);
  const { unchangedFor } = await verify(token);
  const untilExpiry = person.exp * 1000 - Date.now();
  assert.ok(Math.abs(durationMs(unchangedFor) - untilExpiry) < 10_000);
  withdrawn.id = 'es';
  await refuses(token);
});

test('a token of a bot needs its credential, and has no app', async () => {
  const { verify, sign, refuses } = await setUp();
  const { credentialId, scopes } = await verify(await sign(bot));
  assert.equal(credentialId, 'bky_1');
  assert.deepEqual(scopes, person.scope.split(' '));
  for (const claims of [
    { ...bot, credential: undefined },
    { ...bot, client_id: 'app_1' },
    { ...bot, sid: 'ses_1' },
    { ...person, credential: 'bky_1' },
    { ...person, sid: undefined },
  ])
    await refuses(sign(claims));
});

test('claims of another token, time or app are refused', async () => {
  const { sign, refuses } = await setUp();
  for (const claims of [
    { aud: 'https://api.example.com' },
    { aud: `${publicUrl}/` },
    { aud: [publicUrl, 'https://api.example.com'] },
    { aud: undefined },
    { iss: 'https://evil.example.com' },
    { iss: `${publicUrl}/` },
    { exp: now - 1 },
    { exp: undefined },
    { nbf: now + 3600 },
    { iat: now + 3600 },
    { iat: undefined },
    { jti: undefined },
    { sub: undefined },
    { sub: ['usr_1'] },
    { scope: ['account'] },
    { sid: { a: 1 } },
    { client_id: 'app_2' },
    { client_id: 'app_t' },
    { client_id: 'app_t', tenant: 'tnt_2' },
  ])
    await refuses(sign({ ...person, ...claims }));
  await refuses(sign({ ...person, cnf: { jkt: 'x' } }), /DPoP/);
});

test('other types, algorithms and keys are refused', async () => {
  const { sign, refuses, es, other, rsa } = await setUp();
  await refuses(sign(person, {}, other.privateKey));
  await refuses(sign(person, { kid: 'unknown' }));
  await refuses(sign(person, { typ: 'JWT' }));
  await refuses(sign(person, { typ: undefined }));
  await refuses(sign(person, { alg: 'RS256', kid: 'rsa' }, rsa.privateKey));
  // A key that the token brings along does not count.
  const jwk = await exportJWK(other.publicKey);
  await refuses(sign(person, { jwk }, other.privateKey));
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(es.publicKey)));
  const symmetric = new SignJWT({ ...person }).setProtectedHeader({
    alg: 'HS256',
    typ: 'at+jwt',
    kid: 'es',
  });
  await refuses(symmetric.sign(secret));
  const [, body] = (await sign(person)).split('.');
  await refuses(`${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${body}.`);
});
