import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { readPublicKey } from './public-keys.ts';

const jwkOf = ({ publicKey }: { publicKey: KeyObject }): JsonWebKey =>
  publicKey.export({ format: 'jwk' });
const problemOf = (jwk: object): string | undefined => {
  const read = readPublicKey(jwk as Record<string, unknown>);
  return 'problem' in read ? read.problem : undefined;
};
const okp = (hex: string) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(hex, 'hex').toString('base64url'),
});
const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const ec = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));

test('a public key of each allowed kind is accepted, 100 Ed25519 keys among them', () => {
  const curves = ['P-256', 'P-384', 'P-521'].map((namedCurve) =>
    jwkOf(generateKeyPairSync('ec', { namedCurve })),
  );
  const points = Array.from({ length: 100 }, () => jwkOf(generateKeyPairSync('ed25519')));
  for (const key of [rsa, ...curves, ...points])
    assert.equal(problemOf(key), undefined, JSON.stringify(key));
});

test('an RSA key is refused with less than 2048 bits, an even modulus, or an exponent that is even or below 65537', () => {
  const exponents = ['AQ', 'Aw', 'AAAB', 'EQ', 'AQAA', ''];
  for (const e of exponents) assert.notEqual(problemOf({ ...rsa, e }), undefined, e);
  for (const modulusLength of [512, 1024, 2040])
    assert.match(
      problemOf(jwkOf(generateKeyPairSync('rsa', { modulusLength }))) ?? '',
      new RegExp(`${modulusLength} bits`),
    );
  const n = Buffer.from(rsa.n ?? '', 'base64url');
  n.writeUInt8((n.at(-1) ?? 0) & 0xfe, n.length - 1);
  // Deno refuses such a key before the check.
  assert.match(problemOf({ ...rsa, n: n.toString('base64url') }) ?? '', /odd modulus|not a valid/);
});

test('an EC key is refused with a point off its curve, a missing coordinate or another curve', () => {
  const other = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  const zero = Buffer.alloc(32).toString('base64url');
  for (const key of [
    { ...ec, y: other.y },
    { ...ec, x: zero, y: zero },
    { ...ec, y: undefined },
    { ...ec, crv: 'P-384' },
    jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
  ])
    assert.notEqual(problemOf(key), undefined, JSON.stringify(key));
});

test('an Ed25519 key is refused if its point is of small order, off the curve or not in its normal form', () => {
  const torsion = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000080',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];
  const others = [
    // Not on the curve.
    '0200000000000000000000000000000000000000000000000000000000000000',
    // The prime, and all ones.
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'ff'.repeat(32),
    '00',
  ];
  for (const hex of [...torsion, ...others]) assert.notEqual(problemOf(okp(hex)), undefined, hex);
});

test('a key of another kind is refused', () => {
  for (const key of [{}, { kty: 'oct', k: 'c2VjcmV0' }, jwkOf(generateKeyPairSync('x25519'))])
    assert.notEqual(problemOf(key), undefined);
});
