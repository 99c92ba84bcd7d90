import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { type ForgeryName, forgeries } from './forgeries/forgeries.ts';
import type { Forgery, Forging } from './forgeries/forgery.ts';
import { accessTokenHash, type Json, signToken } from './jwt.ts';

// An OpenID provider that signs in every visitor without a login page. It answers correctly until
// it is armed with a forgery.

export type EvilOp = Awaited<ReturnType<typeof startEvilOp>>;

type Grant = { clientId: string; redirectUri: string; nonce: string; accessToken: string };

type State = { account: Json; forging: Forging; forgery: Forgery; grants: Map<string, Grant> };

export type EvilOpOptions = {
  /** The client's secret, which some forgeries use. */
  clientSecret?: string;
  /** The account of every sign-in. */
  account?: Json;
};

export const evilAccount = { sub: 'mallory', email: 'mallory@example.com', email_verified: true };

/** Starts the provider. It accepts any client, secret and redirect URI. */
export async function startEvilOp({
  clientSecret = '',
  account = evilAccount,
}: EvilOpOptions = {}) {
  const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const earlier = { code: '', nonce: '' };
  const forging: Forging = {
    issuer: '',
    clientId: '',
    clientSecret,
    key: makeKey(),
    foreignKey: makeKey(),
    kid: 'the-key',
    earlier,
  };
  const state: State = { account, forging, forgery: {}, grants: new Map() };
  const requested: string[] = [];

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', forging.issuer);
    requested.push(url.pathname);
    const answer = state.forgery.raw?.[url.pathname] ?? answers[url.pathname];
    if (answer)
      void Promise.resolve(answer(response, { state, url, request })).catch(() =>
        response.destroy(),
      );
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  forging.issuer = `http://${loopback}:${(server.address() as AddressInfo).port}`;

  function forge(forgery: Forgery): void {
    state.forgery = forgery;
    requested.length = 0;
  }

  return {
    issuer: forging.issuer,
    /** Applies this forgery to all later answers; without a name, none. */
    arm: (name?: ForgeryName): void => forge(name === undefined ? {} : forgeries[name]),
    /** Like `arm`, with a forgery that has no name. */
    forge,
    /** The paths requested since the provider was armed. */
    requested: (): readonly string[] => requested,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = (
  response: ServerResponse,
  context: { state: State; url: URL; request: IncomingMessage },
) => Promise<void> | void;

const answers: Readonly<Record<string, Answer>> = {
  '/.well-known/openid-configuration': (response, { state }) =>
    sendJson(response, describeOp(state)),
  '/keys': (response, { state }) => sendJson(response, publishKeys(state)),
  '/authorize': (response, { state, url }) =>
    void response.writeHead(303, { location: authorize(state, url.searchParams) }).end(),
  '/token': async (response, { state, request }) => {
    const tokens = exchange(state, new URLSearchParams(await text(request)));
    sendJson(response, tokens ?? { error: 'invalid_grant' }, tokens ? 200 : 400);
  },
  '/userinfo': (response, { state: { account, forging, forgery } }) => {
    const claims: Json = { ...account };
    forgery.userinfo?.(claims);
    if (!forgery.signUserinfo) return sendJson(response, claims);
    const token = forgery.signUserinfo(claims, forging);
    response.writeHead(200, { 'content-type': 'application/jwt' }).end(token);
  },
};

function describeOp({ forging, forgery }: State): Json {
  const document: Json = {
    issuer: forging.issuer,
    authorization_endpoint: `${forging.issuer}/authorize`,
    token_endpoint: `${forging.issuer}/token`,
    userinfo_endpoint: `${forging.issuer}/userinfo`,
    jwks_uri: `${forging.issuer}/keys`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ['openid', 'email', 'profile', 'groups'],
    claims_supported: ['sub', 'email', 'email_verified'],
  };
  forgery.discovery?.(document, forging);
  return document;
}

function publishKeys({ forging, forgery }: State): Json {
  const [jwk = {}, foreign = {}] = [forging.key, forging.foreignKey].map(
    (key): Json => ({
      ...createPublicKey(key).export({ format: 'jwk' }),
      use: 'sig',
      kid: forging.kid,
    }),
  );
  const published: Json = { keys: [jwk] };
  forgery.keys?.(published, foreign);
  return published;
}

/** The URL that the authorization endpoint redirects to. */
function authorize({ forging, forgery, grants }: State, query: URLSearchParams): string {
  const code = randomBytes(16).toString('hex');
  const of = (name: string) => query.get(name) ?? '';
  forging.clientId = of('client_id');
  grants.set(code, {
    clientId: forging.clientId,
    redirectUri: of('redirect_uri'),
    nonce: of('nonce'),
    accessToken: randomBytes(16).toString('hex'),
  });
  const answer = new URLSearchParams({ code, state: of('state'), iss: forging.issuer });
  if (forgery.answer) forgery.answer(answer, forging);
  else forging.earlier.code = code;
  return `${of('redirect_uri')}?${answer.toString()}`;
}

/** The token response for a code, or undefined if the code is unknown or used. */
function exchange(
  { account, forging, forgery, grants }: State,
  body: URLSearchParams,
): Json | undefined {
  const code = body.get('code') ?? '';
  const grant = grants.get(code);
  if (!grant || body.get('redirect_uri') !== grant.redirectUri) return undefined;
  grants.delete(code);
  const now = Math.floor(Date.now() / 1000);
  const header: Json = { alg: 'RS256', kid: forging.kid };
  const { email, email_verified, ...rest } = account;
  const accountClaims = forgery.userinfo ? rest : { ...rest, email, email_verified };
  const times = { iat: now, exp: now + 300 };
  const claims: Json = {
    iss: forging.issuer,
    aud: grant.clientId,
    nonce: grant.nonce,
    ...times,
    at_hash: accessTokenHash(grant.accessToken),
    ...accountClaims,
  };
  if (forgery.token) forgery.token(header, claims, forging);
  else forging.earlier.nonce = grant.nonce;
  const id_token = (forgery.sign ?? signAsPublished)(header, claims, forging);
  const answer: Json = {
    access_token: grant.accessToken,
    token_type: 'Bearer',
    expires_in: 300,
    id_token,
  };
  forgery.exchange?.(answer, forging);
  return answer;
}

const signAsPublished = (header: Json, claims: Json, { key }: Forging): string =>
  signToken(header, claims, key);

const sendJson = (response: ServerResponse, body: Json, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
