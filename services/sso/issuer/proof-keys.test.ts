import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { refuseWeakProofs } from './proof-keys.ts';

const proofOf = (jwk: object): string =>
  `${Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'dpop+jwt', jwk })).toString('base64url')}.e30.AAAA`;

/** The answer to a request with this proof; 'next' = the library goes on. */
async function outcomeOf(proof: string): Promise<unknown> {
  const ctx = { path: '/oauth/token', get: () => proof, status: 404, body: undefined };
  let hasPassed = false;
  const next = () => {
    hasPassed = true;
    return Promise.resolve();
  };
  await refuseWeakProofs(ctx as unknown as Parameters<typeof refuseWeakProofs>[0], next);
  return hasPassed ? 'next' : { status: ctx.status, body: ctx.body };
}

test('a DPoP proof is refused if anyone can sign for its key, and all else is left to the library', async () => {
  const strong = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  for (const proof of [proofOf(strong), '', 'no proof', 'a.b.c'])
    assert.equal(await outcomeOf(proof), 'next');
  const weak = { kty: 'OKP', crv: 'Ed25519', x: Buffer.alloc(32).toString('base64url') };
  for (const jwk of [weak, { kty: 'RSA', n: 'AQAB', e: 'AQ' }, {}])
    assert.deepEqual(await outcomeOf(proofOf(jwk)), {
      status: 400,
      body: {
        error: 'invalid_dpop_proof',
        error_description: 'the key of the proof cannot be used',
      },
    });
});
