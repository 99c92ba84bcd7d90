import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { recordIn } from '../../support/answers.ts';
import type { Stack } from '../../support/harness.ts';
import { type Arrival, startVisitor, type Visitor } from './visitor.ts';

// Apps that sign people in with Bailiwick, through openid-client.

export const callback = 'https://app.example.test/callback';
export const resource = 'https://api.example.test';

export type App = { ID: string; secret: string };
export type Relying = client.Configuration;

/** Creates an app, of the platform or of a tenant. */
export async function createApp(
  stack: Stack,
  fields: object = {},
  token = stack.platformKey,
): Promise<App> {
  const answer = await stack.call(
    'Apps_Save',
    {
      App: {
        Name: 'Reports',
        Kind: 'web',
        RedirectURIs: [callback],
        PostLogoutRedirectURIs: ['https://app.example.test/'],
        Scopes: ['openid', 'profile', 'email', 'offline_access', 'app.reports.read'],
        Resources: [resource],
        ...fields,
      },
    },
    token,
  );
  const { ID } = recordIn(answer, 'App') as { ID: string };
  const { ClientSecret } = answer.body as { ClientSecret?: string };
  return { ID, secret: ClientSecret ?? '' };
}

/** An app's library, configured by discovery as with any OpenID provider. It checks all signatures. */
export async function relyOn(
  { url }: Pick<Stack, 'url'>,
  { ID, secret }: App,
  authentication = secret === '' ? client.None() : client.ClientSecretBasic(secret),
): Promise<Relying> {
  const config = await client.discovery(new URL(url), ID, undefined, authentication, {
    execute: [client.allowInsecureRequests],
  });
  client.enableNonRepudiationChecks(config);
  return config;
}

export type AuthorizationRequest = { url: URL; verifier: string; state: string; nonce: string };

/** Begins a sign-in. */
export async function ask(
  config: Relying,
  over: Record<string, string> = {},
): Promise<AuthorizationRequest> {
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...over,
  });
  return { url, verifier, state, nonce };
}

/** Exchanges the code that the browser brought. */
export const exchange = (
  config: Relying,
  { verifier, state, nonce }: AuthorizationRequest,
  { url }: Arrival,
  parameters: Record<string, string> = {},
) =>
  client.authorizationCodeGrant(
    config,
    url,
    {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    },
    parameters,
  );

/** A whole sign-in of a person who has a session of ours. */
export async function signInWith(
  stack: Stack,
  config: Relying,
  token: string,
  over: Record<string, string> = {},
) {
  const visitor = startVisitor(stack, token);
  const request = await ask(config, over);
  const arrival = await visitor.open(request.url);
  assert.equal(arrival.url.origin, new URL(callback).origin, `${arrival.url.href} ${arrival.text}`);
  return { visitor, request, arrival, tokens: await exchange(config, request, arrival) };
}

/** Signs in on the sign-in page that the browser is on, as its script does. */
export async function enter(visitor: Visitor, { url }: Arrival, token: string): Promise<Arrival> {
  assert.equal(url.pathname, '/login');
  visitor.signIn(token);
  return visitor.open(url.searchParams.get('return_to') ?? '');
}

/** Answers the page that asks whether the app may know the person, as its buttons do. */
export const answerConsent = (visitor: Visitor, { url }: Arrival, consent: 'yes' | 'no') =>
  visitor.open(url, { method: 'POST', body: new URLSearchParams({ consent }) });

type Failure = { error?: string; code?: string; message: string; cause?: unknown };

/** The error code that a request of the library ends with; 'none' = it succeeded. */
export async function errorOf(work: Promise<unknown>): Promise<string> {
  const failure = await work.then(
    () => undefined,
    (thrown: Failure) => thrown,
  );
  if (!failure) return 'none';
  const [challenge] = Array.isArray(failure.cause)
    ? (failure.cause as Array<{ parameters?: { error?: string } }>)
    : [];
  return challenge?.parameters?.error ?? failure.error ?? failure.code ?? failure.message;
}
