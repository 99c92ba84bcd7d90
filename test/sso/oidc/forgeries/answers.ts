import type { Forgery, Forging } from './forgery.ts';
import { says } from './responses.ts';

// Forged parameters at the redirect URI, token responses and userinfo.

const parameter = (
  name: string,
  make: (forging: Forging) => string | undefined,
  detail: RegExp,
): Forgery => ({
  answer(parameters, forging) {
    const text = make(forging);
    if (text === undefined) parameters.delete(name);
    else parameters.set(name, text);
  },
  detail,
});

export const answers = {
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
      /^The provider has answered with an error, error access_denied \(the person or the provider has declined\)\. It says: “scriptalert\(1\)\/script …”$/,
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
  'userinfo that is an unsigned JWT': {
    userinfo: () => {},
    raw: { '/userinfo': says('e30.e30.', 'application/jwt') },
    detail: /userinfo response is signed with an algorithm that is not allowed/,
  },
  'userinfo that is an HTML page': {
    userinfo: () => {},
    raw: { '/userinfo': says('{"sub":"mallory"}', 'text/html') },
    detail: /does not come as application\/json/,
  },
} satisfies Record<string, Forgery>;
