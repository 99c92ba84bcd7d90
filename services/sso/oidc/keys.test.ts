import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isUsableKey } from './keys.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
const x25519 = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });

test('a key is usable where it fits an algorithm, and is not meant for something else', () => {
  assert.ok(isUsableKey(rsa, ['RS256']));
  assert.ok(isUsableKey({ ...rsa, use: 'sig', alg: 'PS256' }, ['RS256', 'PS256']));
  assert.ok(isUsableKey(p384, ['ES384']));
  for (const [key, algorithms] of [
    [rsa, ['ES256']],
    [{ ...rsa, alg: 'PS256' }, ['RS256']],
    [{ ...rsa, use: 'enc' }, ['RS256']],
    [{ ...rsa, n: undefined }, ['RS256']],
    [short, ['RS256']],
    [p384, ['ES256']],
    [{ ...p384, x: 'AAAA' }, ['ES384']],
    [x25519, ['EdDSA']],
    [{ kty: 'oct', k: 'AAAA' }, ['RS256']],
    [null, ['RS256']],
    ['key', ['RS256']],
  ] as const)
    assert.ok(!isUsableKey(key, algorithms), JSON.stringify(key));
});
