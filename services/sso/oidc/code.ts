import { type Egress } from '@bailiwick/egress';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  customFetch,
  validateAuthResponse,
} from 'oauth4webapi';
import { authenticationOf } from './client-authentication.ts';
import { type Budget, createFetch } from './http.ts';
import { clientOf } from './id-token.ts';
import type { ClientProvider, OidcFlow } from './provider.ts';

type SignIn = { server: AuthorizationServer; provider: ClientProvider; flow: OidcFlow };

/** Verifies the parameters of the callback and exchanges their code at the token endpoint. */
export async function exchangeCode(
  egress: Egress,
  budget: Budget,
  { server, provider, flow }: SignIn,
  parameters: Record<string, string>,
): Promise<Response> {
  const client = clientOf(provider.clientId);
  const callback = validateAuthResponse(
    server,
    client,
    new URLSearchParams(parameters),
    flow.state,
  );
  const options = {
    [customFetch]: createFetch(egress, budget, 'The token endpoint'),
    [allowInsecureRequests]: true,
  };
  return authorizationCodeGrantRequest(
    server,
    client,
    await authenticationOf(provider),
    callback,
    provider.redirectUri,
    flow.codeVerifier,
    options,
  );
}
