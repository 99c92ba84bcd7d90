import { type Egress, urlProblem } from '@bailiwick/egress';
import { type AuthorizationServer, calculatePKCECodeChallenge } from 'oauth4webapi';
import { invalidAnswer } from './library-errors.ts';
import type { ClientProvider, OidcFlow, OidcProvider } from './provider.ts';

type AuthorizationRequest = {
  server: AuthorizationServer;
  provider: OidcProvider;
  flow: OidcFlow;
  /** The language for the provider's pages; absent or '' = the browser's. */
  uiLocale?: string;
};

/** The URL to send the browser to. Throws SignInRefused. */
export async function authorizationUrl(
  egress: Egress,
  { server, provider, flow, uiLocale = '' }: AuthorizationRequest,
): Promise<URL> {
  const url = authorizationEndpoint(egress, server);
  return withParameters(url, {
    ...(await codeParameters(provider, flow)),
    scope: scopesOf(provider).join(' '),
    nonce: flow.nonce,
    // Some providers reject response_mode=query, although it is the default.
    ...(provider.responseMode === 'form_post' ? { response_mode: 'form_post' } : {}),
    ...(uiLocale === '' ? {} : { ui_locales: uiLocale }),
  });
}

/** The parameters of the code flow with PKCE (RFC 9700 §2.1.1). */
export const codeParameters = async (
  { clientId, redirectUri }: ClientProvider,
  { state, codeVerifier }: OidcFlow,
) => ({
  client_id: clientId,
  redirect_uri: redirectUri,
  response_type: 'code',
  state,
  code_challenge: await calculatePKCECodeChallenge(codeVerifier),
  code_challenge_method: 'S256',
});

export function withParameters(url: URL, parameters: Readonly<Record<string, string>>): URL {
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.hash = '';
  return url;
}

/**
 * The endpoint is checked as strictly as the URLs that the service calls: it must not be a
 * javascript: URL, for example.
 */
export function authorizationEndpoint(
  { egress }: Pick<Egress, 'egress'>,
  { authorization_endpoint: endpoint = '' }: AuthorizationServer,
): URL {
  const problem = urlProblem(endpoint, egress);
  if (problem !== undefined)
    throw invalidAnswer(`The authorization endpoint in the discovery document ${problem}.`);
  return new URL(endpoint);
}

export const scopesOf = ({ scopes }: OidcProvider): string[] => [...new Set(['openid', ...scopes])];
