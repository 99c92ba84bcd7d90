import { Buffer } from 'node:buffer';
import { readPublicKey } from '@bailiwick/contract';
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import { PasskeyRefusal } from './site.ts';

// The public key of a passkey, in COSE (RFC 9052). The library verifies no attestation of a new
// passkey, so it does not use the key before the first sign-in.

/** The labels of a COSE key. The first two have a meaning of their own for each kind. */
const label = { kty: 1, alg: 3, crvOrN: -1, xOrE: -2, y: -3 } as const;

type Member = { get(key: number): unknown };

const textOf = (value: unknown): string | undefined =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : undefined;

/** The key as a JSON Web Key; undefined if its kind, curve and algorithm are not an allowed set. */
function jwkOf(cose: Member): Record<string, unknown> | undefined {
  const [first, second] = [cose.get(label.crvOrN), cose.get(label.xOrE)];
  switch (`${String(cose.get(label.kty))} ${String(cose.get(label.alg))}`) {
    case '1 -8':
      return first === 6 ? { kty: 'OKP', crv: 'Ed25519', x: textOf(second) } : undefined;
    case '2 -7':
      return first === 1
        ? { kty: 'EC', crv: 'P-256', x: textOf(second), y: textOf(cose.get(label.y)) }
        : undefined;
    case '3 -257':
      return { kty: 'RSA', n: textOf(first), e: textOf(second) };
    default:
      return undefined;
  }
}

/** Imports and checks the public key of a passkey. @throws PasskeyRefusal */
export function assertPublicKey(bytes: Uint8Array): void {
  let jwk: Record<string, unknown> | undefined;
  try {
    const cose = decodeCredentialPublicKey(new Uint8Array(bytes)) as unknown;
    jwk = jwkOf(cose as Member);
  } catch {
    jwk = undefined;
  }
  if (!jwk) throw new PasskeyRefusal('its public key is of a kind that is not accepted');
  const read = readPublicKey(jwk);
  if ('problem' in read) throw new PasskeyRefusal(`its public key cannot be used: ${read.problem}`);
}
