import type { Kind } from './kinds.ts';
import type { Connection } from './products.ts';

// A program of each kind, with the library openid-client.

type Program = Omit<Connection, 'secret'> & { kind: Kind; scopes: readonly string[] };

/** The code that signs a user in, or gets a token for a service. */
export function programOf({ kind, scopes, ...rest }: Program): string {
  const values = { ...rest, scope: scopes.join(' ') };
  const lines = { web, spa: browser, native: browser, device, service }[kind](values);
  return ["import * as client from 'openid-client';", '', ...lines].join('\n');
}

type Values = { issuer: string; client: string; redirect: string; scope: string };

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const withSecret = ({ issuer, client }: Values) => [
  'const config = await client.discovery(',
  `  new URL(${quote(issuer)}),`,
  `  ${quote(client)},`,
  '  {},',
  '  client.ClientSecretBasic(process.env.CLIENT_SECRET),',
  ');',
];

const withoutSecret = ({ issuer, client }: Values) => [
  'const config = await client.discovery(',
  `  new URL(${quote(issuer)}),`,
  `  ${quote(client)},`,
  '  {},',
  '  client.None(),',
  ');',
];

const codeFlow = ({ redirect, scope }: Values) => [
  '',
  'const pkceCodeVerifier = client.randomPKCECodeVerifier();',
  'const expectedState = client.randomState();',
  'const address = client.buildAuthorizationUrl(config, {',
  `  redirect_uri: ${quote(redirect)},`,
  `  scope: ${quote(scope)},`,
  '  code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),',
  "  code_challenge_method: 'S256',",
  '  state: expectedState,',
  '});',
  '// Keep both values in the session of this browser, and send it to `address`.',
  '',
  '// Later, with the address that the browser came back to:',
  'const tokens = await client.authorizationCodeGrant(config, currentUrl, {',
  '  pkceCodeVerifier,',
  '  expectedState,',
  '});',
  'const { sub, email } = tokens.claims();',
];

const web = (values: Values) => [...withSecret(values), ...codeFlow(values)];
const browser = (values: Values) => [...withoutSecret(values), ...codeFlow(values)];

const device = (values: Values) => [
  ...withoutSecret(values),
  '',
  `const started = await client.initiateDeviceAuthorization(config, { scope: ${quote(values.scope)} });`,
  'console.log(`Open ${started.verification_uri} and enter ${started.user_code}`);',
  'const tokens = await client.pollDeviceAuthorizationGrant(config, started);',
];

const service = (values: Values) => [
  ...withSecret(values),
  '',
  values.scope === ''
    ? 'const tokens = await client.clientCredentialsGrant(config);'
    : `const tokens = await client.clientCredentialsGrant(config, { scope: ${quote(values.scope)} });`,
];
