import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { exportSPKI } from 'jose';
import { InvalidTokenError } from './errors.ts';
import { audience, type Issuer, newSigner, publicJwk, startIssuer } from './testing/issuer.ts';
import { type Verifier, verifier } from './verifier.ts';

const verifierOf = ({ issuer }: Issuer) => verifier({ issuer, audience });
const refuses = (verify: Verifier, token: string, message?: string) =>
  assert.rejects(verify(token), InvalidTokenError, message);

/** Deno keeps mocked timers for the tests that follow. */
function mockTime(t: TestContext): void {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.after(() => t.mock.timers.reset());
}

const encode = (part: object | string) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

test('a token of the issuer for the audience gives its claims, with one fetch of the keys', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  const tokens = await Promise.all([
    issuer.sign(),
    issuer.sign({ aud: ['https://x.example.com', audience] }),
    issuer.sign({}, { typ: 'application/at+jwt' }),
  ]);
  const [claims] = await Promise.all(tokens.map((token) => verify(token)));
  assert.deepEqual(
    [claims?.sub, claims?.tenant, claims?.permissions],
    ['usr_01arz3ndektsv4rrffq69g5fav', 'tnt_1', ['app.reports.read', 'app.notes.*']],
  );
  await verify(await issuer.sign());
  assert.deepEqual(issuer.paths, ['/.well-known/openid-configuration', '/oauth/jwks']);
});

test('RS256 is accepted, and jwksUri saves the metadata', async (t) => {
  const issuer = await startIssuer(t);
  const rsa = await newSigner('rsa', 'RS256');
  issuer.published.push(rsa);
  const jwksUri = `${issuer.issuer}/oauth/jwks`;
  const verify = verifier({ issuer: issuer.issuer, audience, jwksUri });
  await verify(await issuer.sign({}, {}, rsa));
  assert.deepEqual(issuer.paths, ['/oauth/jwks']);
});

test('tokens of another issuer, audience, time or kind are refused', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  const now = issuer.now();
  const refused: Record<string, [claims?: Record<string, unknown>, header?: object]> = {
    'another issuer': [{ iss: 'https://other.example.com' }],
    'the issuer with a slash': [{ iss: `${issuer.issuer}/` }],
    'no issuer': [{ iss: undefined }],
    'another audience': [{ aud: 'https://other.example.com' }],
    'an audience that begins alike': [{ aud: `${audience}/x` }],
    'no audience': [{ aud: undefined }],
    expired: [{ exp: now - 10 }],
    'no expiry': [{ exp: undefined }],
    'an expiry that is text': [{ exp: String(now + 300) }],
    'not yet valid': [{ nbf: now + 60 }],
    'no subject': [{ sub: undefined }],
    'a subject that is no text': [{ sub: 7 }],
    'no client': [{ client_id: undefined }],
    'an ID token': [{ nonce: 'x' }, { typ: 'JWT' }],
    'a token without a type': [{}, { typ: undefined }],
    'a logout token': [{}, { typ: 'logout+jwt' }],
  };
  for (const [what, [claims, header]] of Object.entries(refused))
    await refuses(verify, await issuer.sign(claims, { ...header }), what);
  await verify(await issuer.sign({ nbf: now - 1 }));
});

test('a token that is bound to a key is refused as a bearer token', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, {}, null])
    await assert.rejects(verify(await issuer.sign({ cnf })), {
      name: 'InvalidTokenError',
      message: /bound to a key \(cnf\)/,
    });
});

test('a foreign key, no signature and a changed token are refused', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  const foreign = await newSigner(issuer.own.kid);
  await refuses(verify, await issuer.sign({}, {}, foreign), 'a foreign key with a known kid');
  const token = await issuer.sign();
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const none = encode({ alg: 'none', typ: 'at+jwt', kid: issuer.own.kid });
  for (const changed of [
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${encode({ ...claims, tenant: 'tnt_2' })}.${signature}`,
    `${header}.${payload}`,
    `${token}.x`,
    'x',
    '',
    `${encode('null')}.${payload}.${signature}`,
  ])
    await refuses(verify, changed, changed);
});

test('HS256 with the public key as the secret is refused', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  const rsa = await newSigner('rsa', 'RS256');
  issuer.published.push(rsa);
  const payload = (await issuer.sign()).split('.')[1] ?? '';
  for (const signer of [rsa, issuer.own])
    for (const secret of [
      await exportSPKI(signer.keys.publicKey),
      JSON.stringify(await publicJwk(signer)),
    ]) {
      const content = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: signer.kid })}.${payload}`;
      const mac = createHmac('sha256', secret).update(content).digest('base64url');
      await refuses(verify, `${content}.${mac}`);
    }
});

test('keys in the header of a token are ignored', async (t) => {
  const issuer = await startIssuer(t);
  const foreign = await newSigner('foreign');
  const jwk = await publicJwk(foreign);
  const verify = verifierOf(issuer);
  for (const header of [{ jwk }, { jku: `${issuer.issuer}/other` }, { x5u: issuer.issuer }])
    await refuses(verify, await issuer.sign({}, header, foreign));
  assert.ok(issuer.paths.every((path) => path !== '/other'));
});

test('other signatures of published keys are refused', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  for (const alg of ['ES384', 'PS256', 'EdDSA']) {
    const signer = await newSigner(alg, alg);
    issuer.published.push(signer);
    await refuses(verify, await issuer.sign({}, {}, signer), alg);
  }
});

test('an unknown key causes a fetch at most every ten seconds, and a new key is found', async (t) => {
  mockTime(t);
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  await verify(await issuer.sign());
  const fetches = () => issuer.paths.filter((path) => path === '/oauth/jwks').length;
  const next = await newSigner('next');
  const foreignToken = () => issuer.sign({}, {}, next);
  for (let count = 0; count < 20; count++) await refuses(verify, await foreignToken());
  assert.equal(fetches(), 1);
  t.mock.timers.tick(11_000);
  for (let count = 0; count < 20; count++) await refuses(verify, await foreignToken());
  assert.equal(fetches(), 2);
  issuer.published.push(next);
  t.mock.timers.tick(11_000);
  await verify(await foreignToken());
  assert.equal(fetches(), 3);
});

test('a withdrawn key is refused after ten minutes', async (t) => {
  mockTime(t);
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  await verify(await issuer.sign());
  issuer.published.splice(0, 1, await newSigner('next'));
  t.mock.timers.tick(601_000);
  await refuses(verify, await issuer.sign());
});

test('a failure to fetch the keys is not the token’s, and is tried again', async (t) => {
  const issuer = await startIssuer(t);
  const verify = verifierOf(issuer);
  const token = await issuer.sign();
  issuer.setMetadata(() => ({ issuer: 'https://other.example.com', jwks_uri: issuer.issuer }));
  const fails = (message: RegExp) =>
    assert.rejects(
      verify(token),
      (error: Error) => !(error instanceof InvalidTokenError) && message.test(error.message),
    );
  await fails(/describes another issuer/);
  issuer.setMetadata((url) => ({ issuer: url }));
  await fails(/names no jwks_uri/);
  issuer.setMetadata((url) => ({ issuer: url, jwks_uri: `${url}/oauth/jwks` }));
  await verify(token);
  const away = verifier({ issuer: 'http://127.0.0.1:1', audience });
  await assert.rejects(away(token), (error) => !(error instanceof InvalidTokenError));
  const jwksUri = `${issuer.issuer}/missing`;
  const lost = verifier({ issuer: issuer.issuer, audience, jwksUri });
  await assert.rejects(lost(token), (error) => !(error instanceof InvalidTokenError));
});

test('an empty issuer or audience is refused, since every token would match', () => {
  for (const options of [
    { issuer: '', audience },
    { issuer: 'https://iam.example.com', audience: '' },
    { issuer: 'https://iam.example.com', audience: [] },
  ])
    assert.throws(() => verifier(options), TypeError);
});

test('a token for another audience is refused with both values', async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.sign({ aud: `${audience}/` });
  await assert.rejects(verifierOf(issuer)(token), {
    name: 'InvalidTokenError',
    message: `the token is for "${audience}/" (aud), and the verifier takes "${audience}"`,
  });
});
