import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { errors } from 'oidc-provider';
import { jsonProblem } from '../oidc/json.ts';
import { distinctKeys, isStrongKey } from '../oidc/keys.ts';

// The token of another issuer that a bot exchanges, before its signature is verified. These checks
// look at nothing but the token, so their answers say nothing about bots.

/** Asymmetric algorithms only: an HMAC could be made with the public key. */
export const algorithms: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const longest = 16 * 1024;
/** Tolerance for the issuer's clock, in seconds. */
export const skew = 60;
/** A token for one job. A longer life would be that of a stored secret. */
const mostSeconds = 24 * 60 * 60;

export type Subject = JWTPayload & { iss: string; sub: string; exp: number };

/** The claims of a token. Its signature is not verified. @throws invalid_request */
export function readSubject(token: string): Subject {
  const claims = token.length <= longest ? decode(token) : undefined;
  if (!claims || jsonProblem(claims) !== undefined)
    throw refused('subject_token must be a JWT of at most 16 KiB, signed with a key pair');
  const { iss, sub, aud } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || aud === undefined)
    throw refused('subject_token must name its issuer, subject and audience (iss, sub, aud)');
  const problem = timeProblem(claims);
  if (problem !== undefined) throw refused(`subject_token ${problem}`);
  return claims as Subject;
}

function decode(token: string): JWTPayload | undefined {
  try {
    const { alg = '' } = decodeProtectedHeader(token);
    return algorithms.includes(alg) ? decodeJwt(token) : undefined;
  } catch {
    return undefined;
  }
}

function timeProblem({ exp, nbf, iat }: JWTPayload): string | undefined {
  const now = Date.now() / 1000;
  const times: unknown[] = [exp, nbf ?? 0, iat];
  if (
    !times.every((time) => typeof time === 'number' && Number.isFinite(time)) ||
    exp === undefined ||
    iat === undefined
  )
    return 'must have the numbers iat (issued at) and exp (expires at)';
  if (exp <= now - skew) return 'has expired';
  if ((nbf ?? 0) > now + skew || iat > now + skew)
    return 'is not valid yet; if it always is, the clocks differ';
  if (exp - iat > mostSeconds) return 'must not be valid for more than 24 hours';
  return undefined;
}

const refused = (description: string) => new errors.InvalidRequest(description);

export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** The keys that prove something. Stored ones may be older than this check. */
export const keySetOf = (keys: readonly object[]): KeySet =>
  createLocalJWKSet({ keys: distinctKeys(keys.filter(isStrongKey)) });
