import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { InvalidProofError, InvalidTokenError } from './errors.ts';
import { expressGuard } from './express.ts';
import { fastifyGuard } from './fastify.ts';
import { callerOf } from './guard.ts';
import { honoGuard } from './hono.ts';
import { createProofCheck } from './proofs.ts';
import { audience, newSigner, type Signer, startIssuer } from './testing/issuer.ts';
import { verifier } from './verifier.ts';

const permission = 'app.reports.read';
const url = `${audience}/reports`;

/** A client with a key of its own, a token that is bound to it, and proofs. */
async function makeClient(t: TestContext) {
  const issuer = await startIssuer(t);
  const own = await newSigner('own');
  const jkt = await calculateJwkThumbprint(await exportJWK(own.keys.publicKey));
  const token = await issuer.sign({ cnf: { jkt } });
  let count = 0;
  const prove = async (
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    { alg, keys }: Signer = own,
  ) =>
    new SignJWT({
      jti: `proof ${(count += 1)}`,
      htm: 'GET',
      htu: url,
      iat: issuer.now(),
      ath: createHash('sha256').update(token).digest('base64url'),
      ...claims,
    })
      .setProtectedHeader({
        alg,
        typ: 'dpop+jwt',
        jwk: await exportJWK(keys.publicKey),
        ...header,
      })
      .sign(keys.privateKey);
  return { issuer, own, jkt, token, prove, verify: verifier({ issuer: issuer.issuer, audience }) };
}

const get = (proof?: string) => ({ method: 'GET', url: '/reports?page=2', proof });

test('a bound token is accepted with a proof of its key, for the method and address', async (t) => {
  const { token, prove, verify, issuer } = await makeClient(t);
  const claims = await verify(token, get(await prove()));
  assert.equal(claims.tenant, 'tnt_1');
  for (const request of [
    get(await prove({ htu: `${url}?page=1#top` })),
    get(await prove({ htu: url.replace('https://reports', 'HTTPS://REPORTS') })),
    get(await prove({ htu: url.replace('.com', '.com:443') })),
    // Behind a proxy the request has another origin.
    { method: 'GET', url: 'http://10.0.0.7:8080/reports', proof: await prove() },
    { method: 'DELETE', url: '/reports', proof: await prove({ htm: 'DELETE' }) },
    get(await prove({ iat: issuer.now() - 55 })),
  ])
    await verify(token, request);
});

test('a proof of another key, token, method, address or time is refused', async (t) => {
  const { token, own, prove, verify, issuer } = await makeClient(t);
  const [foreign, now] = [await newSigner('foreign'), issuer.now()];
  const own_ = await exportJWK(own.keys.publicKey);
  const secret = await exportJWK(own.keys.privateKey);
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt', jwk: own_ }));
  const [, payload] = (await prove()).split('.');
  const refused: Record<string, string | undefined> = {
    'no proof': undefined,
    'an empty one': '',
    'two of them': `${await prove()}, ${await prove()}`,
    'another key': await prove({}, {}, foreign),
    'the key of the token, signed with another one': await prove({}, { jwk: own_ }, foreign),
    'a private key': await prove({}, { jwk: secret }),
    'no key': await prove({}, { jwk: undefined }),
    'a malformed key': await prove({}, { jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } }),
    'no signature': `${none.toString('base64url')}.${payload}.`,
    'another token': await prove({ ath: createHash('sha256').update('x').digest('base64url') }),
    'no token': await prove({ ath: undefined }),
    'another method': await prove({ htm: 'POST' }),
    'the method in lower case': await prove({ htm: 'get' }),
    'another path': await prove({ htu: `${url}/1` }),
    'a path in another case': await prove({ htu: url.toUpperCase() }),
    'another host': await prove({ htu: 'https://other.example.com/reports' }),
    'another scheme': await prove({ htu: url.replace('https', 'http') }),
    'no address': await prove({ htu: 'reports' }),
    'two minutes old': await prove({ iat: now - 120 }),
    'of the future': await prove({ iat: now + 60 }),
    'no time': await prove({ iat: undefined }),
    'no id': await prove({ jti: undefined }),
    'an empty id': await prove({ jti: '' }),
    'a long id': await prove({ jti: 'x'.repeat(257) }),
    'another type': await prove({}, { typ: 'JWT' }),
    'the token itself': token,
  };
  for (const [what, proof] of Object.entries(refused))
    await assert.rejects(verify(token, get(proof)), InvalidProofError, what);
  const elsewhere = { method: 'GET', url: '//evil.example.com/reports', proof: await prove() };
  await assert.rejects(verify(token, elsewhere), InvalidProofError);
});

test('a proof is accepted once, of 50 uses at once', async (t) => {
  const { token, prove, verify } = await makeClient(t);
  const proof = await prove();
  const uses = await Promise.allSettled(
    Array.from({ length: 50 }, () => verify(token, get(proof))),
  );
  assert.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(verify(token, get(proof)), /used before/);
  await verify(token, get(await prove()));
});

test('two clients may use the same id, and a refused proof does not use up an id', async (t) => {
  const { issuer, token, prove, verify } = await makeClient(t);
  const other = await newSigner('other');
  const jkt = await calculateJwkThumbprint(await exportJWK(other.keys.publicKey));
  const theirs = await issuer.sign({ cnf: { jkt } });
  const ath = createHash('sha256').update(theirs).digest('base64url');
  await assert.rejects(verify(token, get(await prove({ jti: 'one', htm: 'POST' }))));
  await verify(token, get(await prove({ jti: 'one' })));
  await verify(theirs, get(await prove({ jti: 'one', ath }, {}, other)));
});

test('the memory of proofs is bounded: the oldest is dropped first', async (t) => {
  const { token, jkt, prove } = await makeClient(t);
  const check = createProofCheck(2);
  const expected = { token, jkt, method: 'GET', url: new URL(url) };
  const proofs = [await prove(), await prove(), await prove()];
  for (const proof of proofs) await check(proof, expected);
  await assert.rejects(check(proofs[2], expected), /used before/);
  await check(proofs[0], expected);
});

test('a bound token is no bearer token, and an unbound one needs no proof', async (t) => {
  const { issuer, token, prove, verify } = await makeClient(t);
  await assert.rejects(verify(token), /bound to a key \(cnf\)/);
  await assert.rejects(verify(await issuer.sign(), get(await prove())), /not bound to a key/);
  const mixed = await issuer.sign({ cnf: { jkt: 'x', 'x5t#S256': 'x' } });
  await assert.rejects(verify(mixed, get(await prove())), InvalidTokenError);
});

test('an audience that is no URL needs an origin for bound tokens', async (t) => {
  const { issuer, jkt, prove } = await makeClient(t);
  const bound = await issuer.sign({ aud: 'urn:reports', cnf: { jkt } });
  const options = { issuer: issuer.issuer, audience: 'urn:reports' };
  await assert.rejects(verifier(options)(bound, get(await prove())), /need an origin/);
  const ath = createHash('sha256').update(bound).digest('base64url');
  const verify = verifier({ ...options, origin: 'https://reports.example.com' });
  await verify(bound, get(await prove({ ath })));
});

test('honoGuard accepts a proof for its request, and names the algorithms in a refusal', async (t) => {
  const { token, prove, verify } = await makeClient(t);
  const handler = honoGuard(verify)(permission);
  const run = async (method: string, headers: Record<string, string>) => {
    const raw = new Request(url, { method, headers });
    const req = { raw, header: (name: string) => raw.headers.get(name) ?? undefined };
    const response = await handler({ req }, () => Promise.resolve());
    return [response?.status, response?.headers.get('www-authenticate')];
  };
  const headers = async () => ({ authorization: `DPoP ${token}`, dpop: await prove() });
  assert.deepEqual(await run('GET', await headers()), [undefined, undefined]);
  const [status, challenge] = await run('POST', await headers());
  assert.equal(status, 401);
  assert.match(String(challenge), /^DPoP algs="ES256 [^"]*", error="invalid_dpop_proof"$/);
  assert.deepEqual(await run('GET', { ...(await headers()), authorization: `Bearer ${token}` }), [
    401,
    'Bearer error="invalid_token"',
  ]);
});

test('expressGuard and fastifyGuard accept a proof for the whole path of their request', async (t) => {
  const { token, prove, verify } = await makeClient(t);
  const authorization = `DPoP ${token}`;
  const handler = expressGuard(verify)(permission);
  const server = createServer((request, response) => {
    // As in a router of Express for /api.
    Object.assign(request, { originalUrl: request.url, url: '/reports' });
    void handler(request, response, () => response.end(callerOf(request).sub));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const dpop = await prove({ htu: `${audience}/api/reports` });
  const statuses = [];
  for (const proof of [dpop, await prove()]) {
    const headers = { authorization, dpop: proof };
    const response = await fetch(`http://127.0.0.1:${port}/api/reports`, { headers });
    statuses.push(response.status);
    await response.text();
  }
  assert.deepEqual(statuses, [200, 401]);

  const hook = fastifyGuard(verify)(permission);
  const replies: number[] = [];
  const reply = {
    code: (status: number) => (replies.push(status), reply),
    headers: () => reply,
    send: () => reply,
  };
  const request = { method: 'GET', originalUrl: '/reports', headers: { authorization } };
  await hook({ ...request, headers: { authorization, dpop: await prove() } }, reply);
  assert.deepEqual(replies, []);
  await hook(request, reply);
  assert.deepEqual(replies, [401]);
});
