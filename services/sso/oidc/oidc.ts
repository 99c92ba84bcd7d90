import type { Egress } from '@bailiwick/shared/egress/request.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  customFetch,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Finding } from '../providers/finding.ts';
import type { Asserted } from '../sign-in/asserted.ts';
import { authorizationUrl } from './authorization.ts';
import { checkProvider } from './check.ts';
import { authenticationOf } from './client-authentication.ts';
import { createDiscovery } from './discovery.ts';
import { asRefusal } from './failure.ts';
import { createFetch, type Limits, limits, startBudget } from './http.ts';
import { clientOf, readTokens } from './id-token.ts';
import type { OidcFlow, OidcProvider } from './provider.ts';
import { completeClaims } from './userinfo.ts';

export type { OidcFlow, OidcProvider } from './provider.ts';
export type Oidc = ReturnType<typeof createOidc>;

type Deps = Egress & { log: Log };

/** OpenID Connect, the part of the client: code flow with PKCE, state and nonce, and nothing else. */
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
    const again = () => {
      log.info('a provider has signed with an unknown key: its keys are fetched again', { issuer });
      return discovery.findAgain(issuer);
    };
    const tokens = await readTokens({ response, published, clientId, nonce: flow.nonce, again });
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
    /** The address to send the browser to. Throws SignInRefused. */
    begin,
    /** Who has signed in, by the parameters that the browser came back with. Throws SignInRefused. */
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
    /** What an administrator should know of a provider before anybody signs in by it. */
    async check(provider: OidcProvider, signal: AbortSignal): Promise<Finding[]> {
      // What was found wrong and has been put right takes effect at once.
      discovery.forget(provider.issuer);
      return checkProvider(guarded, startBudget(own, signal), provider);
    },
    /** Drops what is known of an issuer. */
    forget: discovery.forget,
  };
}
