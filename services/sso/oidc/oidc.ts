import { type Egress } from '@bailiwick/egress';
import type { Log } from '@bailiwick/process';
import type { AssertedIdentity, Finding } from '../results.ts';
import { authorizationUrl } from './authorization.ts';
import { checkProvider } from './check.ts';
import { exchangeCode } from './code.ts';
import { assertIssuer, createDiscovery } from './discovery.ts';
import { type Budget, type Limits, limits, startBudget } from './http.ts';
import { readTokens, type Tokens } from './id-token.ts';
import { explainError } from './library-errors.ts';
import type { OidcFlow, OidcProvider } from './provider.ts';
import type { Published } from './published.ts';
import { completeClaims } from './userinfo.ts';

export type { OidcFlow, OidcProvider } from './provider.ts';
export type Oidc = ReturnType<typeof createOidc>;

type Deps = Egress & { log: Log };

/** An OpenID Connect client: only the code flow, with PKCE, state and nonce. */
export function createOidc({ pools, egress, log }: Deps, own: Limits = limits) {
  const guarded = { pools, egress };
  const discovery = createDiscovery(guarded, own);

  return {
    /**
     * The URL to send the browser to. `uiLocale`: the language for the provider's pages; '' = the
     * browser's. Throws SignInRefused.
     */
    async begin(provider: OidcProvider, flow: OidcFlow, uiLocale = ''): Promise<string> {
      const published = await discovery.find(provider.issuer);
      assertIssuer(published, provider);
      const { server } = published;
      return (await authorizationUrl(guarded, { server, provider, flow, uiLocale })).href;
    },
    /** The person who has signed in, from the parameters of the callback. Throws SignInRefused. */
    async finish(
      provider: OidcProvider,
      flow: OidcFlow,
      parameters: Record<string, string>,
      signal: AbortSignal,
    ): Promise<AssertedIdentity> {
      const { issuer } = provider;
      const budget = startBudget(own, signal);
      const refreshKeys = async () => {
        log.info('the cached keys of a provider do not verify a token, fetching its keys again', {
          issuer,
        });
        const fresh = await discovery.refresh(issuer);
        assertIssuer(fresh, provider);
        return fresh;
      };
      try {
        const published = await discovery.find(issuer);
        assertIssuer(published, provider);
        const signIn = { provider, flow, published };
        const { server } = published;
        const response = await exchangeCode(
          guarded,
          budget,
          { server, provider, flow },
          parameters,
        );
        return await readIdentity(guarded, budget, signIn, { response, refreshKeys });
      } catch (error) {
        throw explainError(error);
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

type SignIn = { provider: OidcProvider; flow: OidcFlow; published: Published };

type TokenAnswer = { response: Response; refreshKeys: () => Promise<Published> };

/** The person of a token response, completed by the userinfo endpoint. */
async function readIdentity(
  egress: Egress,
  budget: Budget,
  { provider, flow, published }: SignIn,
  { response, refreshKeys }: TokenAnswer,
): Promise<AssertedIdentity> {
  const { clientId, claims: claimNames } = provider;
  const tokens = await readTokens({
    response,
    published,
    clientId,
    nonce: flow.nonce,
    refreshKeys,
  });
  // Microsoft's claim xms_edov is about the address in the same ID token.
  const { claims, incomplete = explainMissingScopes(provider, tokens) } =
    published.template === undefined
      ? await completeClaims(egress, budget, {
          clientId,
          names: claimNames,
          optional: provider.optionalClaim,
          mapsVerified: provider.mapsVerified ?? false,
          tokens,
          refreshKeys,
        })
      : { claims: { ...tokens.claims } };
  const { iss: issuer, sub: subject, acr, amr } = tokens.claims;
  const identity = { issuer, subject, claims, contexts: [acr, amr].flat() };
  return incomplete === undefined ? identity : { ...identity, incomplete };
}

/** The requested scopes that the token response does not name as granted (RFC 6749, section 5.1). */
function explainMissingScopes({ scopes }: OidcProvider, { scope }: Tokens): string | undefined {
  const granted = scope?.split(' ');
  const missing = scopes.filter(
    (one) => one !== 'offline_access' && granted?.includes(one) === false,
  );
  return missing.length === 0
    ? undefined
    : `the provider did not grant these scopes: ${missing.join(', ')}`;
}
