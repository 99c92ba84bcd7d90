import type { Forgery, Forging } from './forgery.ts';
import { deep, drips, failsWith, large, redirectsTo, says } from './responses.ts';

// Discovery documents and keys with forged addresses, and responses that are too large, too slow or
// malformed.

const discoveryPath = '/.well-known/openid-configuration';
const metadataAddress = 'http://169.254.169.254/latest/meta-data';
const document = (name: string, make: (forging: Forging) => unknown, detail: RegExp): Forgery => ({
  discovery: (metadata, forging) => void (metadata[name] = make(forging)),
  detail,
});

export const addresses = {
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

export const bodies = {
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
export const slow = {
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
