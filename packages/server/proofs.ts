import {
  base64url,
  calculateJwkThumbprint,
  EmbeddedJWK,
  errors,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { InvalidProofError } from './errors.ts';

// Verifies that the sender of a token has the key that the token is bound to (DPoP, RFC 9449).

/** A request whose token is bound to a key. */
export type ProvenRequest = {
  method: string;
  /** The path, or the whole address. A query is ignored. */
  url: string;
  /** The header `DPoP`. */
  proof: string | undefined;
};

/** The subject of a proof. */
type Expected = { token: string; jkt: string; method: string; url: URL };

const algorithms = ['ES256', 'ES384', 'ES512', 'RS256', 'PS256', 'EdDSA', 'Ed25519'];
/** The algorithms, for the challenge (section 7.1). */
export const proofAlgorithms: string = algorithms.join(' ');

/** A proof is accepted for this time after it was made. */
const proofSeconds = 60;
const clockToleranceSeconds = 5;
const maxIdLength = 256;
const maxRemembered = 100_000;

/** Creates a function that accepts each proof once. @throws InvalidProofError for all others */
export function createProofCheck(remembered = maxRemembered) {
  const isNew = rememberIds(remembered);
  return async (proof: string | undefined, expected: Expected): Promise<void> => {
    if (proof === undefined) throw new InvalidProofError('the header DPoP is required');
    const { payload, jkt } = await readProof(proof);
    const { jti, ath, htm, htu } = payload;
    if (jkt !== expected.jkt) throw new InvalidProofError('the proof is of another key');
    if (ath !== (await hashOf(expected.token)))
      throw new InvalidProofError('the proof is for another token');
    if (htm !== expected.method) throw new InvalidProofError('the proof is for another method');
    if (addressOf(htu) !== addressOf(expected.url.href))
      throw new InvalidProofError('the proof is for another address');
    if (typeof jti !== 'string' || jti === '' || jti.length > maxIdLength)
      throw new InvalidProofError(`jti must have 1 to ${maxIdLength} characters`);
    if (!isNew(`${jkt} ${jti}`)) throw new InvalidProofError('the proof was used before');
  };
}

/** Verifies the signature, the type and the time of a proof (section 4.3). */
async function readProof(proof: string): Promise<{ payload: JWTPayload; jkt: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms,
      requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
      maxTokenAge: proofSeconds,
      clockTolerance: clockToleranceSeconds,
    });
    return { payload, jkt: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) };
  } catch (error) {
    // A malformed key is a TypeError or a DOMException of the runtime, depending on its type.
    const { message } = error instanceof errors.JOSEError ? error : { message: 'malformed key' };
    throw new InvalidProofError(message, { cause: error });
  }
}

/** Tells whether an id is new. Of more than `most` ids in the time of a proof, it drops the oldest. */
function rememberIds(most: number) {
  const lifetimeMs = (proofSeconds + 2 * clockToleranceSeconds) * 1000;
  // In the order of their ends, since all live equally long.
  const endings = new Map<string, number>();
  return (id: string): boolean => {
    const now = Date.now();
    for (const [oldest, endsAt] of endings) {
      if (endsAt > now && endings.size < most) break;
      endings.delete(oldest);
    }
    if (endings.has(id)) return false;
    endings.set(id, now + lifetimeMs);
    return true;
  };
}

async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return base64url.encode(new Uint8Array(digest));
}

/** An address without query and fragment, in its normal form; undefined if it is none. */
function addressOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}
