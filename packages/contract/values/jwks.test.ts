import assert from 'node:assert/strict';
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { test } from 'node:test';
import { readJwks } from './jwks.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = publicKey.export({ format: 'jwk' });
const read = (...keys: unknown[]) => readJwks(JSON.stringify({ keys }));
const problemOf = (...keys: unknown[]): string => {
  const result = read(...keys);
  return 'problem' in result ? result.problem : assert.fail(result.jwks);
};
const jwkOf = (pair: { publicKey: { export(options: { format: 'jwk' }): JsonWebKey } }) =>
  pair.publicKey.export({ format: 'jwk' });

test('a key set keeps the public members, kid, alg and use of a key, and drops all others', () => {
  const jwk = { ...key, kid: 'one', alg: 'ES256', x5c: ['…'], jku: 'https://keys.example' };
  assert.deepEqual(read(jwk), {
    jwks: JSON.stringify({ keys: [{ ...key, kid: 'one', alg: 'ES256', use: 'sig' }] }),
  });
});

test('a key set accepts RSA, EC and Ed25519 keys', () => {
  const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const curve = jwkOf(generateKeyPairSync('ed25519'));
  const result = read(rsa, key, curve);
  assert.ok('jwks' in result);
  const { keys } = JSON.parse(result.jwks) as { keys: JsonWebKey[] };
  assert.deepEqual(
    keys.map(({ kty }) => kty),
    ['RSA', 'EC', 'OKP'],
  );
});

test('a key set refuses private and secret members', () => {
  const onlyPublic = 'must contain public keys only';
  assert.equal(problemOf(privateKey.export({ format: 'jwk' })), onlyPublic);
  assert.equal(problemOf(key, { ...key, d: '' }), onlyPublic);
  assert.equal(problemOf({ kty: 'oct', k: 'c2VjcmV0' }), onlyPublic);
});

test('a key set refuses keys that cannot verify a signature safely', () => {
  const weak = [
    jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 })),
    jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
    jwkOf(generateKeyPairSync('x25519')),
    { ...key, use: 'enc' },
    { ...key, alg: 'none' },
    { ...key, alg: 'HS256' },
    { ...key, kid: 7 },
    { ...key, x: 'AAAA' },
    { kty: 'oct' },
    {},
  ];
  for (const one of weak) assert.match(problemOf(key, one), /^keys\[1\] must be an RSA key/);
});

test('a key set is refused if it is not a set of 1 to 10 keys', () => {
  for (const text of ['', '{', '[]', 'null', '7', '{"keys":{}}', '{"keys":[7]}', '{"keys":[null]}'])
    assert.deepEqual(readJwks(text), {
      problem: 'must be a JSON Web Key Set, such as {"keys":[…]}',
    });
  assert.equal(problemOf(), 'must contain 1 to 10 keys');
  assert.equal(problemOf(...Array.from({ length: 11 }, () => key)), 'must contain 1 to 10 keys');
});
