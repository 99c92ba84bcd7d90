import { createPublicKey } from 'node:crypto';
import { type Json, macToken, signToken, unsignedToken } from '../jwt.ts';
import type { Forgery, Forging } from './forgery.ts';

// ID tokens with a forged signature or forged claims.

const now = () => Math.floor(Date.now() / 1000);
const claim = (name: string, make: (forging: Forging) => unknown, detail: RegExp): Forgery => ({
  token: (_header, claims, forging) => void (claims[name] = make(forging)),
  detail,
});
const header = (name: string, make: (forging: Forging) => unknown): Forgery => ({
  token: (head, _claims, forging) => void (head[name] = make(forging)),
  // The header names the key that made the signature. The published key did not make it.
  sign: (head, claims, { foreignKey }) => signToken(head, claims, foreignKey),
  detail: /signature of the ID token does not match/,
});
const publicPem = ({ key }: Forging): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
const foreignJwk = ({ foreignKey }: Forging) =>
  createPublicKey(foreignKey).export({ format: 'jwk' });

export const signatures = {
  'alg none': {
    token: (head) => void (head['alg'] = 'none'),
    sign: unsignedToken,
    detail: /algorithm that is not allowed/,
  },
  'alg none in discovery': {
    discovery: (metadata) =>
      void (metadata['id_token_signing_alg_values_supported'] = ['none', 'RS256']),
    token: (head) => void (head['alg'] = 'none'),
    sign: unsignedToken,
    detail: /algorithm that is not allowed/,
  },
  'alg nOnE': {
    token: (head) => void (head['alg'] = 'nOnE'),
    sign: unsignedToken,
    detail: /algorithm that is not allowed/,
  },
  'no signature': { sign: unsignedToken, detail: /signature of the ID token does not match/ },
  'HS256 with the public key': {
    discovery: (metadata) =>
      void (metadata['id_token_signing_alg_values_supported'] = ['HS256', 'RS256']),
    token: (head) => void (head['alg'] = 'HS256'),
    sign: (head, claims, forging) => macToken(head, claims, publicPem(forging)),
    detail: /algorithm that is not allowed/,
  },
  'HS256 with the client secret': {
    discovery: (metadata) => void (metadata['id_token_signing_alg_values_supported'] = ['HS256']),
    token: (head) => void (head['alg'] = 'HS256'),
    sign: (head, claims, { clientSecret }) => macToken(head, claims, clientSecret),
    detail: /algorithm that is not allowed/,
  },
  'an algorithm that discovery does not list': {
    token: (head) => void (head['alg'] = 'RS512'),
    detail: /does not announce/,
  },
  'another key under the same kid': {
    sign: (head, claims, { foreignKey }) => signToken(head, claims, foreignKey),
    detail: /does not match/,
  },
  'a key in the header': header('jwk', foreignJwk),
  'a key URL in the header': header('jku', ({ issuer }) => `${issuer}/forged-keys`),
  'a certificate URL in the header': header('x5u', ({ issuer }) => `${issuer}/forged-certificate`),
  'an unknown kid': { token: (head) => void (head['kid'] = 'another'), detail: /publishes no key/ },
  'no kid and two keys': {
    keys: (published, foreign) =>
      void (published['keys'] = [...(published['keys'] as Json[]), { ...foreign, kid: 'another' }]),
    token: (head) => void delete head['kid'],
    detail: /or several/,
  },
  'a key for encryption': {
    keys: (published) => void Object.assign((published['keys'] as Json[])[0] ?? {}, { use: 'enc' }),
    detail: /publishes no key/,
  },
  'a broken key': {
    keys: (published) => void delete (published['keys'] as Json[])[0]?.['n'],
    detail: /not a valid public key/,
  },
  'a key that is too short': {
    keys: (published) => void Object.assign((published['keys'] as Json[])[0] ?? {}, { n: 'AQAB' }),
    detail: /its RSA key has 17 bits: 2048 to 8192 are allowed/,
  },
  'claims changed after signing': {
    sign(head, claims, { key }) {
      const [first, , last] = signToken(head, claims, key).split('.');
      return [first, unsignedToken({}, { ...claims, sub: 'ada' }).split('.')[1], last].join('.');
    },
    detail: /does not match/,
  },
  'demanded extensions': {
    token: (head) => void Object.assign(head, { crit: ['b64'], b64: false }),
    detail: /crit/,
  },
  'an encrypted ID token': {
    exchange: (answer) => void (answer['id_token'] = 'eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d'),
    detail: /encrypted/,
  },
  'an ID token that is not a JWT': {
    exchange: (answer) => void (answer['id_token'] = 'e30.e30'),
    detail: /Invalid JWT/,
  },
} satisfies Record<string, Forgery>;

export const claims = {
  'an expired ID token': claim('exp', () => now() - 200, /has expired/),
  'an exp that is not a number': claim('exp', () => 'tomorrow', /"exp"|expired/),
  'no expiry': claim('exp', () => undefined, /lacks a claim/),
  'an nbf in the future': claim('nbf', () => now() + 600, /not valid yet/),
  'an iat in the future': claim('iat', () => now() + 86_400, /issued in the future/),
  'another issuer in the ID token': claim(
    'iss',
    () => 'https://login.example.com',
    /another issuer/,
  ),
  'another client in the ID token': claim('aud', () => 'another', /audience/),
  'an audience that starts with the client id': claim(
    'aud',
    ({ clientId }) => `${clientId} `,
    /audience/,
  ),
  'several clients without azp': claim('aud', ({ clientId }) => [clientId, 'another'], /azp/),
  'another azp': {
    token: (_head, claims, { clientId }) =>
      void Object.assign(claims, { aud: [clientId, 'another'], azp: 'another' }),
    detail: /another client \(azp\)/,
  },
  'another azp beside one client': claim('azp', () => 'another', /another client \(azp\)/),
  'no nonce': claim('nonce', () => undefined, /lacks a claim/),
  'another nonce': claim('nonce', () => 'another', /nonce/),
  'the nonce of an earlier sign-in': claim('nonce', ({ earlier }) => earlier.nonce, /nonce/),
  'no subject': claim('sub', () => undefined, /lacks a claim/),
  'an empty subject': claim('sub', () => '', /empty/),
  'a subject that is a number': claim('sub', () => 7, /not a text/),
  'a subject that is a list': claim('sub', () => ['mallory'], /not a text/),
  'a subject that is too long': claim('sub', () => 'x'.repeat(256), /longer than 255/),
  'a subject with NUL': claim('sub', () => 'mallory\0', /cannot be stored/),
  'a lone surrogate in the email': claim(
    'email',
    () => 'mallory\ud800@example.com',
    /cannot be stored/,
  ),
  'the hash of another access token': claim('at_hash', () => 'AAAAAAAAAAAAAAAAAAAAAA', /at_hash/),
  'a hash that is a number': claim('at_hash', () => 1, /at_hash/),
  'claims named __proto__': claim(
    'realm',
    () => JSON.parse('{"__proto__":{"admin":true}}') as unknown,
    /name that is not allowed/,
  ),
  'claims named constructor': claim('constructor', () => ({}), /name that is not allowed/),
  'deeply nested claims': claim(
    'realm',
    () => JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown,
    /too deeply/,
  ),
} satisfies Record<string, Forgery>;
