import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isUsableKey, readKeys } from './keys.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
  format: 'jwk',
});
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
const x25519 = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });

test('readKeys keeps at most fifty signature keys, and only their used members', () => {
  const signing = { ...rsa, use: 'sig', kid: 'one' };
  const others = [null, 'key', 7, [], {}, { kty: 'oct', k: 'AAAA' }];
  const malformed = [
    { use: 'enc' },
    { key_ops: ['encrypt'] },
    { key_ops: 'verify' },
    { kid: 7 },
    { kid: 'x'.repeat(4097) },
    { kid: 'ł' },
  ];
  const published = { ...signing, key_ops: ['verify'], x5c: ['AAAA'], constraints: [{}] };
  assert.deepEqual(
    readKeys([...others, ...malformed.map((member) => ({ ...rsa, ...member })), published, p384]),
    [signing, p384],
  );
  assert.equal(readKeys(Array.from({ length: 40_000 }, () => ({}))).length, 0);
  const many = Array.from({ length: 1000 }, (_, index) => ({ ...rsa, kid: `${index}` }));
  assert.equal(readKeys(many).length, 50);
});

test('isUsableKey requires a key that fits one of the algorithms', () => {
  assert.ok(isUsableKey(rsa, ['RS256']));
  assert.ok(isUsableKey({ ...rsa, use: 'sig', alg: 'PS256' }, ['RS256', 'PS256']));
  assert.ok(isUsableKey(p384, ['ES384']));
  for (const [key, algorithms] of [
    [rsa, ['ES256']],
    [{ ...rsa, alg: 'PS256' }, ['RS256']],
    [{ kty: 'RSA', e: 'AQAB' }, ['RS256']],
    [short, ['RS256']],
    [p384, ['ES256']],
    [{ ...p384, x: 'AAAA' }, ['ES384']],
    [x25519, ['EdDSA']],
    [{}, ['RS256']],
  ] as const)
    assert.ok(!isUsableKey(key, algorithms), JSON.stringify(key));
});

test('readKeys counts a key that is listed several times once', () => {
  const one = { ...rsa, kid: 'one' };
  const [rs256, ps256] = ['RS256', 'PS256'].map((alg) => ({ ...one, alg }));
  for (const [published, distinct] of [
    [[one, { ...one, use: 'sig' }, { ...one, x5t: 'a' }], [one]],
    [[rs256, one, rsa, ps256], [one]],
    [
      [rs256, ps256, rs256],
      [rs256, ps256],
    ],
    [
      [one, { ...rsa, kid: 'two' }, p384],
      [one, { ...rsa, kid: 'two' }, p384],
    ],
    // A key of another directory is another key.
    [
      [one, { ...one, issuer: 'https://id.example.com' }],
      [one, { ...one, issuer: 'https://id.example.com' }],
    ],
  ])
    assert.deepEqual(readKeys(published ?? []), distinct);
});
