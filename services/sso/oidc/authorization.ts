import type { Egress } from '@bailiwick/shared/egress/request.ts';
import { urlProblem } from '@bailiwick/shared/egress/rules.ts';
import { type AuthorizationServer, calculatePKCECodeChallenge } from 'oauth4webapi';
import { invalidAnswer } from './failure.ts';
import type { OidcFlow, OidcProvider } from './provider.ts';

type Wanted = { server: AuthorizationServer; provider: OidcProvider; flow: OidcFlow };

/** The address that a browser is sent to. Throws SignInRefused. */
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
    // Some providers refuse to be told what they do anyway.
    ...(provider.responseMode === 'form_post' ? { response_mode: 'form_post' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.hash = '';
  return url;
}

/** It is as strictly judged as the addresses that we call: it must not be a script, for one. */
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
