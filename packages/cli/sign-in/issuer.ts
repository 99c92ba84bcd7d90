import * as oauth from 'oauth4webapi';
import { exitCodes, Refusal } from '../failure.ts';
import type { Renewal, Renewed } from '../sessions.ts';
import { printable } from '../text.ts';

// Bailiwick as the OpenID provider of this tool. oauth4webapi speaks the protocol.

export const client: oauth.Client = { client_id: 'bailiwick-cli' };
export const authentication = oauth.None();

/** The options of each request. An address without https is warned of elsewhere. */
export const requestOptions = () => ({
  [oauth.allowInsecureRequests]: true,
  signal: AbortSignal.timeout(30_000),
  headers: { 'user-agent': 'bailiwick-cli' },
});

/** The scopes of the sign-in: `*` leaves out the permissions on the platform. */
export const scopeFor = (forPlatform: boolean): string =>
  `openid email offline_access account *${forPlatform ? ' iam.platform.*' : ''}`;

/** The OpenID provider at an address. */
export async function findIssuer(url: string): Promise<oauth.AuthorizationServer> {
  const response = await reaching(url, () =>
    oauth.discoveryRequest(new URL(url), { ...requestOptions(), algorithm: 'oidc' }),
  );
  if (!response.ok)
    throw new Refusal(
      `${url} offers no sign-in with a browser (status ${response.status}): check the address, or use bailiwick login --password`,
    );
  const { issuer } = ((await response
    .clone()
    .json()
    .catch(() => ({}))) ?? {}) as {
    issuer?: unknown;
  };
  if (typeof issuer === 'string' && issuer !== url)
    throw new Refusal(printable(`${url} is not the public address: sign in with --url ${issuer}`));
  return oauth.processDiscoveryResponse(new URL(url), response);
}

/** @throws Refusal if there is no response */
export async function reaching<Answer>(url: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (isNoResponse(error)) throw new Refusal(`${url} cannot be reached`, exitCodes.unavailable);
    throw error;
  }
}

export const isNoResponse = (error: unknown): boolean =>
  (error instanceof TypeError && error.message === 'fetch failed') ||
  (error instanceof DOMException && error.name === 'TimeoutError');

/** The error code of a protocol response; '' for another error. */
export const codeOf = (error: unknown): string =>
  error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError
    ? error.error
    : '';

/** The tokens of a response, as they are stored. */
export function renewedOf(response: oauth.TokenEndpointResponse): Renewed {
  const {
    access_token: token,
    refresh_token: RefreshToken = '',
    expires_in: seconds = 0,
  } = response;
  const ExpiresAt = new Date(Date.now() + seconds * 1000).toISOString();
  return { token, renewal: { RefreshToken, ExpiresAt } };
}

/** Renews a token at an address. @throws Refusal if the sign-in has ended */
export async function renewAt(url: string, { RefreshToken }: Renewal): Promise<Renewed> {
  const issuer = await findIssuer(url);
  try {
    const response = await reaching(url, () =>
      oauth.refreshTokenGrantRequest(issuer, client, authentication, RefreshToken, {
        ...requestOptions(),
        additionalParameters: { resource: issuer.issuer },
      }),
    );
    return renewedOf(await oauth.processRefreshTokenResponse(issuer, client, response));
  } catch (error) {
    if (codeOf(error) !== 'invalid_grant') throw error;
    throw new Refusal(
      `the sign-in at ${url} has ended: sign in with bailiwick login`,
      exitCodes.unauthenticated,
    );
  }
}

/** Ends a sign-in: its refresh token works no more. */
export async function revokeAt(url: string, { RefreshToken }: Renewal): Promise<void> {
  const issuer = await findIssuer(url);
  const response = await reaching(url, () =>
    oauth.revocationRequest(issuer, client, authentication, RefreshToken, requestOptions()),
  );
  await oauth.processRevocationResponse(response);
}

/** A finished sign-in: its tokens, and the address of the person. */
export type SignedIn = Renewed & { email: string };

export function signedInOf(response: oauth.TokenEndpointResponse): SignedIn {
  const email = oauth.getValidatedIdTokenClaims(response)?.['email'];
  return {
    ...renewedOf(response),
    email: typeof email === 'string' ? printable(email) : 'the user',
  };
}
