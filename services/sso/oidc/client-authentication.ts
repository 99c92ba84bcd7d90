import { createHash, createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  type CryptoKey,
  modifyAssertion,
  None,
  PrivateKeyJwt,
} from 'oauth4webapi';
import { invalidAnswer } from './library-errors.ts';
import type { ClientProvider, SecretSigner } from './provider.ts';

/** How the service authenticates as a client of a provider. */
export async function authenticationOf({
  tokenAuthMethod,
  clientSecret,
  privateKey,
  secretSigner,
}: ClientProvider): Promise<ClientAuth> {
  if (secretSigner) return authenticateBySignedSecret(secretSigner);
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

/** Deno reads no PEM with spaces around it or line ends of Windows. */
const openPem = (pem: string): KeyObject => createPrivateKey(pem.trim().replaceAll('\r\n', '\n'));

/** A key that can sign client secrets; undefined for any other text. */
export function readSigningKey(pem: string): KeyObject | undefined {
  try {
    const key = openPem(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The key in the one form that is stored; '' for ''. */
export const normaliseSigningKey = (pem: string): string =>
  pem === '' ? '' : openPem(pem).export({ type: 'pkcs8', format: 'pem' }).toString();

/** Lifetime of a client secret, in seconds: long enough for a provider whose clock is behind. */
const secretLifetime = 300;

/**
 * A client secret that is a JWT of the team's key, made for each request, with the claims that
 * Apple names and no others (developer.apple.com, "Creating a client secret").
 */
async function authenticateBySignedSecret({
  key,
  keyId,
  teamId,
}: SecretSigner): Promise<ClientAuth> {
  const sign = PrivateKeyJwt(
    { key: await signer(key), kid: keyId },
    {
      [modifyAssertion]: (_header, payload) => {
        payload['iss'] = teamId;
        payload['exp'] = Number(payload['iat']) + secretLifetime;
        delete payload['jti'];
        delete payload['nbf'];
      },
    },
  );
  return async (server, client, body, headers) => {
    const signed = new URLSearchParams();
    await sign(server, client, signed, new Headers());
    await ClientSecretPost(signed.get('client_assertion') ?? '')(server, client, body, headers);
  };
}

/** The key for the library, which signs with WebCrypto. */
async function signer(privateKey: KeyObject): Promise<CryptoKey> {
  const { kty = '', crv } = privateKey.export({ format: 'jwk' });
  const bytes = privateKey.export({ type: 'pkcs8', format: 'der' });
  // With the types of Deno the library takes no key at all.
  const key: unknown = await crypto.subtle.importKey(
    'pkcs8',
    bytes,
    algorithmOf(kty, crv).subtle,
    false,
    ['sign'],
  );
  return key as CryptoKey;
}

async function authenticateByKey(privateKey: KeyObject): Promise<ClientAuth> {
  const { kid, alg } = publicJwk(privateKey);
  const key = await signer(privateKey);
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
