import { type Egress, urlProblem } from '@bailiwick/egress';
import { type AuthorizationServer, calculatePKCECodeChallenge } from 'oauth4webapi';
import { invalidAnswer } from './library-errors.ts';
import type { OidcFlow, OidcProvider } from './provider.ts';

type Wanted = { server: AuthorizationServer; provider: OidcProvider; flow: OidcFlow };

/** The URL to send the browser to. Throws SignInRefused. */
export async function authorizationUrl(
  egress: Egress,
  { server, provider, flow }: Wanted,
): Promise<URL> {
  const url = authorizationEndpoint(egress, server);
  const parameters = {
    client_id: provider.clientId,
    redirect_uri: provider.redirectUri,
    response_type: 'code',
    scope: scopesOf(provider).join(' '),
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await calculatePKCECodeChallenge(flow.codeVerifier),
    code_challenge_method: 'S256',
    // Some providers reject response_mode=query, although it is the default.
    ...(provider.responseMode === 'form_post' ? { response_mode: 'form_post' } : {}),
  };
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
