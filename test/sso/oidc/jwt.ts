import { Buffer } from 'node:buffer';
import { createHash, createHmac, type KeyObject, sign } from 'node:crypto';

// JSON Web Tokens built by hand, as an attacker builds them.

export type Json = Record<string, unknown>;

const part = (content: Json): string => Buffer.from(JSON.stringify(content)).toString('base64url');

const withSignature = (header: Json, claims: Json, make: (text: string) => Buffer): string => {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${make(text).toString('base64url')}`;
};

/** Signs with RS256 and ignores the header's alg. */
export const signToken = (header: Json, claims: Json, key: KeyObject): string =>
  withSignature(header, claims, (text) => sign('sha256', Buffer.from(text), key));

/** Signs with HS256 and ignores the header's alg. */
export const macToken = (header: Json, claims: Json, secret: string): string =>
  withSignature(header, claims, (text) => createHmac('sha256', secret).update(text).digest());

/** Has an empty signature. */
export const unsignedToken = (header: Json, claims: Json): string =>
  withSignature(header, claims, () => Buffer.alloc(0));

/** OpenID Connect Core §3.1.3.6, for RS256. */
export const accessTokenHash = (accessToken: string): string =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
