import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  INVALID_RESPONSE,
  KEY_SELECTION,
  OperationProcessingError,
  UnsupportedOperationError,
  validateApplicationLevelSignature,
} from 'oauth4webapi';
import { keysOf } from './directories.ts';
import { distinctKeys, type PublicKey } from './keys.ts';
import { invalidAnswer } from './library-errors.ts';
import type { Published } from './published.ts';

// The signatures of a provider: of its ID tokens and userinfo responses.

/**
 * Verifies the signature of a processed response although it came over TLS: an attacker in between,
 * or one who answers for the endpoint, does not have the keys.
 */
export async function verifySignature(
  response: Response,
  published: Published,
  issuer: string,
): Promise<void> {
  // A copy, so that the library uses no cached keys: the discovery decides which keys are valid.
  const own: AuthorizationServer = { ...published.server };
  const keys = distinctKeys(
    keysOf(published, issuer).map(({ issuer: _issuer, ...key }): PublicKey => key),
  );
  const options = {
    [customFetch]: () => Promise.resolve(Response.json({ keys })),
    [allowInsecureRequests]: true,
  };
  try {
    await validateApplicationLevelSignature(own, response, options);
  } catch (error) {
    if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError)
      throw error;
    // Errors of the platform's cryptography about a broken key or signature.
    throw invalidAnswer('The signature of the ID token, or the key for it, is malformed.');
  }
}

/**
 * Whether newer keys or metadata could verify what these did not: the provider may have replaced a
 * key under its kid, or changed its algorithm.
 */
export function mayBeStale(error: unknown): boolean {
  if (!(error instanceof OperationProcessingError)) return false;
  const { code, cause } = error;
  if (code === KEY_SELECTION) return true;
  // The causes of a wrong signature, and of an algorithm that the provider does not announce.
  return (
    code === INVALID_RESPONSE &&
    typeof cause === 'object' &&
    cause !== null &&
    ('signature' in cause || 'header' in cause)
  );
}
