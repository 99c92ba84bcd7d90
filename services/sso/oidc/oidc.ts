import { type Egress } from '@bailiwick/egress';
import { type Log } from '@bailiwick/telemetry';
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  customFetch,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Asserted, Finding } from '../results.ts';
import { authorizationUrl } from './authorization.ts';
import { checkProvider } from './check.ts';
import { authenticationOf } from './client-authentication.ts';
import { createDiscovery } from './discovery.ts';
import { createFetch, type Limits, limits, startBudget } from './http.ts';
import { clientOf, readTokens } from './id-token.ts';
import { asRefusal } from './library-errors.ts';
import type { OidcFlow, OidcProvider } from './provider.ts';
import { completeClaims } from './userinfo.ts';

export type { OidcFlow, OidcProvider } from './provider.ts';
export type Oidc = ReturnType<typeof createOidc>;

type Deps = Egress & { log: Log };

/** An OpenID Connect client: only the code flow, with PKCE, state and nonce. */
export function createOidc({ pools, egress, log }: Deps, own: Limits = limits) {
  const guarded = { pools, egress };
  const discovery = createDiscovery(guarded, own);

  async function begin(provider: OidcProvider, flow: OidcFlow): Promise<string> {
    const { server } = await discovery.find(provider.issuer);
    return (await authorizationUrl(guarded, { server, provider, flow })).href;
  }

  async function exchange(
    provider: OidcProvider,
    flow: OidcFlow,
    parameters: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Asserted> {
    const { issuer, clientId } = provider;
    const budget = startBudget(own, signal);
    const published = await discovery.find(issuer);
    const { server } = published;
    const client = clientOf(clientId);
    const callback = validateAuthResponse(
      server,
      client,
      new URLSearchParams(parameters),
      flow.state,
    );
    const options = {
      [customFetch]: createFetch(guarded, budget, 'The token endpoint'),
      [allowInsecureRequests]: true,
    };
    const authentication = await authenticationOf(provider);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      callback,
      provider.redirectUri,
      flow.codeVerifier,
      options,
    );
    const refreshKeys = () => {
      log.info('a provider signed with an unknown key, fetching its keys again', { issuer });
      return discovery.refresh(issuer);
    };
    const tokens = await readTokens({
      response,
      published,
      clientId,
      nonce: flow.nonce,
      refreshKeys,
    });
    return {
      issuer,
      subject: tokens.claims.sub,
      claims: await completeClaims(guarded, budget, {
        server,
        clientId,
        wanted: provider.claims,
        tokens,
      }),
    };
  }

  return {
    /** The URL to send the browser to. Throws SignInRefused. */
    begin,
    /** The person who has signed in, from the parameters of the callback. Throws SignInRefused. */
    async finish(
      provider: OidcProvider,
      flow: OidcFlow,
      parameters: Record<string, string>,
      signal: AbortSignal,
    ): Promise<Asserted> {
      try {
        return await exchange(provider, flow, parameters, signal);
      } catch (error) {
        throw asRefusal(error);
      }
    },
    /** Findings about a provider for its administrator, without a sign-in. */
    async check(provider: OidcProvider, signal: AbortSignal): Promise<Finding[]> {
      // Evicts the cache, so that corrections at the provider take effect at once.
      discovery.forget(provider.issuer);
      return checkProvider(guarded, startBudget(own, signal), provider);
    },
    /** Evicts the cached metadata and keys of an issuer. */
    forget: discovery.forget,
  };
}
