import type { JsonWebKey } from 'node:crypto';
import { readPublicKey } from './public-keys.ts';

// The public keys of an app (private_key_jwt) or of an issuer that a bot trusts.

const maxKeys = 10;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const algorithms = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/;

type Jwks = { jwks: string } | { problem: string };

const notASet = { problem: 'must be a JSON Web Key Set, such as {"keys":[…]}' };

/**
 * Reads a JSON Web Key Set. The result has the public members, kid, alg and use of each key, and
 * nothing else that was sent.
 */
export function readJwks(text: string): Jwks {
  const set = parse(text);
  const list = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(list)) return notASet;
  if (list.length === 0 || list.length > maxKeys)
    return { problem: `must contain 1 to ${maxKeys} keys` };
  const keys: JsonWebKey[] = [];
  for (const [index, key] of list.entries()) {
    if (!isObject(key)) return notASet;
    if (privateMembers.some((member) => member in key))
      return { problem: 'must contain public keys only' };
    const read = readKey(key);
    if (!read)
      return {
        problem: `keys[${index}] must be an RSA key of 2048 to 8192 bits with an exponent of 65537 or more, an EC key on P-256, P-384 or P-521, or an Ed25519 key, for signatures`,
      };
    keys.push(read);
  }
  return { jwks: JSON.stringify({ keys }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readKey(jwk: Record<string, unknown>): JsonWebKey | undefined {
  const { kid, alg, use = 'sig' } = jwk;
  if (use !== 'sig') return undefined;
  if (alg !== undefined && !(typeof alg === 'string' && algorithms.test(alg))) return undefined;
  if (kid !== undefined && !(typeof kid === 'string' && kid.length <= 128)) return undefined;
  const read = readPublicKey(jwk);
  if ('problem' in read) return undefined;
  return { ...read.key.export({ format: 'jwk' }), kid, alg, use };
}
