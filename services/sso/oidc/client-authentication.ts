import { createHash, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  modifyAssertion,
  None,
  PrivateKeyJwt,
} from 'oauth4webapi';
import { invalidAnswer } from './library-errors.ts';
import type { ClientProvider } from './provider.ts';

/** How the service authenticates as a client of a provider. */
export async function authenticationOf({
  tokenAuthMethod,
  clientSecret,
  privateKey,
}: ClientProvider): Promise<ClientAuth> {
  if (tokenAuthMethod === 'none') return None();
  if (tokenAuthMethod === 'private_key_jwt') {
    if (!privateKey) throw invalidAnswer('There is no key to authenticate to the provider with.');
    return authenticateByKey(privateKey);
  }
  if (clientSecret === '')
    throw invalidAnswer('There is no client secret to authenticate to the provider with.');
  if (tokenAuthMethod === 'client_secret_post') return ClientSecretPost(clientSecret);
  return tokenAuthMethod === 'client_secret_jwt'
    ? ClientSecretJwt(clientSecret)
    : ClientSecretBasic(clientSecret);
}

/** The public half of the client's key, as a JWK for the provider. */
export function publicJwk(
  privateKey: KeyObject,
): JsonWebKey & { kid: string; alg: string; use: 'sig' } {
  const { kty = '', crv, e, n, x, y } = privateKey.export({ format: 'jwk' });
  // RFC 7638: the thumbprint covers only the required members, in alphabetical order.
  const key = Object.fromEntries(
    Object.entries({ crv, e, kty, n, x, y }).filter(([, value]) => value !== undefined),
  );
  const kid = createHash('sha256').update(JSON.stringify(key)).digest('base64url');
  return { ...key, kid, alg: algorithmOf(kty, crv).alg, use: 'sig' };
}

async function authenticateByKey(privateKey: KeyObject): Promise<ClientAuth> {
  const { kid, alg, kty = '', crv } = publicJwk(privateKey);
  const bytes = privateKey.export({ type: 'pkcs8', format: 'der' });
  const key = await crypto.subtle.importKey('pkcs8', bytes, algorithmOf(kty, crv).subtle, false, [
    'sign',
  ]);
  // The library calls EdDSA by its newer name, Ed25519, which few providers accept.
  return PrivateKeyJwt({ key, kid }, { [modifyAssertion]: (header) => void (header['alg'] = alg) });
}

function algorithmOf(kty: string, crv: string | undefined) {
  if (kty === 'RSA')
    return { alg: 'RS256', subtle: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } };
  if (kty === 'OKP') return { alg: 'EdDSA', subtle: { name: 'Ed25519' } };
  const size = crv === 'P-521' ? '512' : (crv ?? '').slice(-3);
  return { alg: `ES${size}`, subtle: { name: 'ECDSA', namedCurve: crv ?? '' } };
}
