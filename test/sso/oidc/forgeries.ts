import { createPublicKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RefusalReason } from '@bailiwick/sso/sign-in/refusal.ts';
import type { Forging } from './evil-op.ts';
import { type Json, macToken, signToken, unsignedToken } from './jwt.ts';

// Forgeries by a provider (docs/security.md, 39 to 46). Each is rejected and creates no session, no
// link and no user.

/** The parts of an answer that the provider forges. All other parts are correct. */
export type Forgery = {
  /** The reason of the refusal, ANSWER_INVALID by default. */
  reason?: RefusalReason;
  /** The detail that the administrator reads. */
  detail?: RegExp;
  discovery?: (document: Json, forging: Forging) => void;
  /** The parameters at the redirect URI. */
  answer?: (parameters: URLSearchParams, forging: Forging) => void;
  /** The ID token before it is signed. */
  token?: (header: Json, claims: Json, forging: Forging) => void;
  sign?: (header: Json, claims: Json, forging: Forging) => string;
  /** The response of the token endpoint. */
  exchange?: (answer: Json, forging: Forging) => void;
  /** Changes the userinfo claims. The ID token then has no email address. */
  userinfo?: (claims: Json) => void;
  keys?: (published: Json, foreign: Json) => void;
  /** Whole responses by path, which replace the above. */
  raw?: Record<string, (response: ServerResponse) => void>;
};

const discoveryPath = '/.well-known/openid-configuration';
const metadataAddress = 'http://169.254.169.254/latest/meta-data';
const now = () => Math.floor(Date.now() / 1000);
const claim = (name: string, value: (forging: Forging) => unknown, detail: RegExp): Forgery => ({
  token: (_header, claims, forging) => void (claims[name] = value(forging)),
  detail,
});
const header = (name: string, value: (forging: Forging) => unknown): Forgery => ({
  token: (head, _claims, forging) => void (head[name] = value(forging)),
  // The header names the key that made the signature. The published key did not make it.
  sign: (head, claims, { foreignKey }) => signToken(head, claims, foreignKey),
  detail: /signature of the ID token does not match/,
});
const document = (name: string, value: (forging: Forging) => unknown, detail: RegExp): Forgery => ({
  discovery: (found, forging) => void (found[name] = value(forging)),
  detail,
});
const parameter = (
  name: string,
  value: (forging: Forging) => string | undefined,
  detail: RegExp,
): Forgery => ({
  answer(parameters, forging) {
    const text = value(forging);
    if (text === undefined) parameters.delete(name);
    else parameters.set(name, text);
  },
  detail,
});
const says =
  (body: string, type = 'application/json') =>
  (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': type }).end(body);
const redirectsTo =
  (location: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(302, { location }).end();
const drips =
  (bytes: string, everyMs: number) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(bytes), everyMs);
    response.once('close', () => clearInterval(timer));
  };
const failsWith =
  (status: number) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
const publicPem = ({ key }: Forging): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
const foreignJwk = ({ foreignKey }: Forging) =>
  createPublicKey(foreignKey).export({ format: 'jwk' });
const large = (kibibytes: number) => JSON.stringify({ keys: [], a: 'x'.repeat(kibibytes * 1024) });
const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;

const signatures = {
  'alg none': {
    token: (head) => void (head['alg'] = 'none'),
    sign: unsignedToken,
    detail: /algorithm that is not allowed/,
  },
  'alg none in discovery': {
    discovery: (found) => void (found['id_token_signing_alg_values_supported'] = ['none', 'RS256']),
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
    discovery: (found) =>
      void (found['id_token_signing_alg_values_supported'] = ['HS256', 'RS256']),
    token: (head) => void (head['alg'] = 'HS256'),
    sign: (head, claims, forging) => macToken(head, claims, publicPem(forging)),
    detail: /algorithm that is not allowed/,
  },
  'HS256 with the client secret': {
    discovery: (found) => void (found['id_token_signing_alg_values_supported'] = ['HS256']),
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
    detail: /malformed/,
  },
  'a key that is too short': {
    keys: (published) => void Object.assign((published['keys'] as Json[])[0] ?? {}, { n: 'AQAB' }),
    detail: /too short/,
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

const claims = {
  'an expired ID token': claim('exp', () => now() - 120, /has expired/),
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

const answers = {
  'no state': parameter('state', () => undefined, /state/),
  'another state': parameter('state', () => 'another', /state/),
  'another iss at the redirect URI': parameter(
    'iss',
    () => 'https://login.example.com',
    /another provider/,
  ),
  'no iss at the redirect URI although discovery promises it': parameter(
    'iss',
    () => undefined,
    /although the provider announces/,
  ),
  'no code': parameter('code', () => undefined, /no code/),
  'a used code': parameter('code', ({ earlier }) => earlier.code, /invalid_grant/),
  'an unknown code': parameter('code', () => 'made-up', /invalid_grant/),
  'an ID token at the redirect URI': parameter('id_token', () => 'e30.e30.', /another flow/),
  'a signed response at the redirect URI': parameter('response', () => 'e30.e30.', /another flow/),
  'an error with a script': {
    answer: (parameters) => parameters.set('error', '<script>alert(1)</script>'),
    reason: 'PROVIDER_REFUSED',
    detail: /^The provider has answered with an error\.$/,
  },
  'an error description with a script': {
    answer(parameters) {
      parameters.set('error', 'access_denied');
      parameters.set('error_description', '<script>alert(1)</script> mallory@example.com');
    },
    reason: 'PROVIDER_REFUSED',
    detail:
      /^The provider has answered with an error, error access_denied \(the person or the provider has declined\)\.$/,
  },
  'no ID token': {
    exchange: (answer) => void delete answer['id_token'],
    detail: /returns no ID token/,
  },
  'no access token': {
    exchange: (answer) => void delete answer['access_token'],
    detail: /returns no access token/,
  },
  'an access token with a line break': {
    exchange: (answer) => void (answer['access_token'] = 'a\r\nx: y'),
    detail: /malformed access token/,
  },
  'a DPoP token': {
    exchange: (answer) => void (answer['token_type'] = 'DPoP'),
    detail: /no bearer token/,
  },
  'a token of another type': {
    exchange: (answer) => void (answer['token_type'] = 'mac'),
    detail: /no bearer token/,
  },
  'another subject in userinfo': {
    userinfo: (claims) => void (claims['sub'] = 'ada'),
    detail: /another person/,
  },
  'no subject in userinfo': {
    userinfo: (claims) => void delete claims['sub'],
    detail: /another person/,
  },
  'signed userinfo': {
    userinfo: () => {},
    raw: { '/userinfo': says('e30.e30.', 'application/jwt') },
    detail: /userinfo endpoint does not come as application\/json/,
  },
  'userinfo that is an HTML page': {
    userinfo: () => {},
    raw: { '/userinfo': says('{"sub":"mallory"}', 'text/html') },
    detail: /does not come as application\/json/,
  },
} satisfies Record<string, Forgery>;

const addresses = {
  'discovery of another issuer': document(
    'issuer',
    () => 'https://login.example.com',
    /another issuer/,
  ),
  'discovery with an extra slash in the issuer': document(
    'issuer',
    ({ issuer }) => `${issuer}/`,
    /to the letter/,
  ),
  'discovery that redirects to the cloud metadata address': {
    raw: { [discoveryPath]: redirectsTo(metadataAddress) },
    detail: /redirect/,
  },
  'discovery that redirects to itself': {
    raw: { [discoveryPath]: redirectsTo(discoveryPath) },
    detail: /redirect/,
  },
  'a token endpoint at the cloud metadata address': document(
    'token_endpoint',
    () => metadataAddress,
    /token endpoint cannot be fetched: the address is not allowed/,
  ),
  'a token endpoint in a private network': document(
    'token_endpoint',
    () => 'https://[::ffff:10.0.0.1]/token',
    /address is not allowed/,
  ),
  'a token endpoint with a file URL': document(
    'token_endpoint',
    () => 'file:///etc/passwd',
    /not at an https address/,
  ),
  'keys at the cloud metadata address': document(
    'jwks_uri',
    () => metadataAddress,
    /list of keys cannot be fetched: the address is not allowed/,
  ),
  'a jwks_uri that is not a URL': document('jwks_uri', () => ['x'], /jwks_uri/),
  'userinfo at the cloud metadata address': {
    ...document('userinfo_endpoint', () => metadataAddress, /address is not allowed/),
    userinfo: () => {},
  },
  'an authorization endpoint with a javascript URL': document(
    'authorization_endpoint',
    () => 'javascript:alert(1)',
    /authorization endpoint in the discovery document must begin/,
  ),
  'an authorization endpoint in a private network': document(
    'authorization_endpoint',
    () => 'https://10.0.0.1/',
    /authorization endpoint .* public/,
  ),
  'a token endpoint that redirects': {
    raw: { '/token': redirectsTo(metadataAddress) },
    detail: /redirect/,
  },
} satisfies Record<string, Forgery>;

const bodies = {
  'discovery that is too large': {
    raw: { [discoveryPath]: says(large(128)) },
    detail: /larger than/,
  },
  'keys that are too large': { raw: { '/keys': says(large(128)) }, detail: /larger than/ },
  'a token response that is too large': {
    raw: { '/token': says(large(1024)) },
    detail: /larger than|too large/,
  },
  'discovery that is not JSON': {
    raw: { [discoveryPath]: says('<html>') },
    detail: /not a JSON object/,
  },
  'discovery that is an HTML page': {
    raw: { [discoveryPath]: says('<html>', 'text/html') },
    detail: /application\/json/,
  },
  'discovery that is a list': { raw: { [discoveryPath]: says('[]') }, detail: /not a JSON object/ },
  'deeply nested discovery': {
    raw: { [discoveryPath]: says(deep) },
    detail: /too deeply/,
  },
  'discovery named __proto__': {
    raw: { [discoveryPath]: says('{"__proto__":{"issuer":"x"}}') },
    detail: /name that is not allowed/,
  },
  'discovery that fails': {
    raw: { [discoveryPath]: failsWith(503) },
    reason: 'PROVIDER_UNREACHABLE',
    detail: /status 503/,
  },
  'discovery with status 404': { raw: { [discoveryPath]: failsWith(404) }, detail: /status 404/ },
  'keys that are not a list': {
    raw: { '/keys': says('{"keys":{}}') },
    detail: /list of keys is not a JSON array/,
  },
  'keys that are numbers': {
    raw: { '/keys': says('{"keys":[1,null]}') },
    detail: /publishes no key/,
  },
  'a token endpoint that fails': {
    raw: { '/token': failsWith(500) },
    reason: 'PROVIDER_UNREACHABLE',
    detail: /status 500/,
  },
  'a deeply nested token response': { raw: { '/token': says(deep) }, detail: /too deeply/ },
} satisfies Record<string, Forgery>;

/** Forgeries that use up the time limit of a sign-in or the size limit of a response. */
const slow = {
  'discovery that is sent byte by byte': {
    raw: { [discoveryPath]: drips(' ', 50) },
    reason: 'PROVIDER_UNREACHABLE',
    detail: /in time/,
  },
  'endless discovery': {
    raw: { [discoveryPath]: drips(' '.repeat(64 * 1024), 5) },
    detail: /larger than|too large/,
  },
  'keys that never arrive': {
    raw: { '/keys': () => {} },
    reason: 'PROVIDER_UNREACHABLE',
    detail: /in time/,
  },
  'a token response that is sent byte by byte': {
    raw: { '/token': drips(' ', 50) },
    reason: 'PROVIDER_UNREACHABLE',
    detail: /in time/,
  },
} satisfies Record<string, Forgery>;

/** The names of the slow forgeries, which run against the module only. */
export const slowForgeries = Object.keys(slow) as ForgeryName[];

const all = { ...signatures, ...claims, ...answers, ...addresses, ...bodies, ...slow };

export type ForgeryName = keyof typeof all;

export const forgeries: Readonly<Record<ForgeryName, Forgery>> = all;
