import { decodeProtectedHeader } from 'jose';
import type Provider from 'oidc-provider';
import { isStrongKey } from '../oidc/keys.ts';

/**
 * Refuses a DPoP proof with a key whose signatures anyone can make: the tokens would be bound to
 * nothing. The library checks all else of a proof.
 */
export const refuseWeakProofs: Parameters<Provider['use']>[0] = async (ctx, next) => {
  const proof = ctx.get('dpop');
  const jwk = proof === '' ? undefined : keyIn(proof);
  if (!jwk || isStrongKey(jwk)) return next();
  ctx.status = ctx.path === '/oauth/userinfo' ? 401 : 400;
  ctx.body = {
    error: 'invalid_dpop_proof',
    error_description: 'the key of the proof cannot be used',
  };
};

function keyIn(proof: string): Record<string, string> | undefined {
  try {
    return decodeProtectedHeader(proof).jwk as Record<string, string> | undefined;
  } catch {
    return undefined;
  }
}
