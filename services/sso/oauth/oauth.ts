import { type Egress, urlProblem } from '@bailiwick/egress';
import { type AuthorizationServer, processAuthorizationCodeResponse } from 'oauth4webapi';
import { codeParameters, withParameters } from '../oidc/authorization.ts';
import { exchangeCode } from '../oidc/code.ts';
import { type Limits, limits, startBudget } from '../oidc/http.ts';
import { assertBearer, clientOf } from '../oidc/id-token.ts';
import { explainError, invalidAnswer } from '../oidc/library-errors.ts';
import { probeFlow, probeToken, redirectFinding } from '../oidc/probe.ts';
import type { OidcFlow } from '../oidc/provider.ts';
import type { AssertedIdentity, Finding } from '../results.ts';
import type { OauthProvider } from './provider.ts';
import { readUser } from './user.ts';

export type Oauth = ReturnType<typeof createOauth>;

const serverOf = ({ issuer, authorizationUrl, tokenUrl }: OauthProvider): AuthorizationServer => ({
  issuer,
  authorization_endpoint: authorizationUrl,
  token_endpoint: tokenUrl,
});

/**
 * A client of OAuth 2.0 providers that identify the user at a user-info address: only the code
 * flow, with PKCE and state. There is no ID token, so the access token must come from the provider's
 * token endpoint over TLS, in exchange for the code of this sign-in.
 */
export function createOauth({ pools, egress }: Egress, own: Limits = limits) {
  const guarded = { pools, egress };

  return {
    /** The URL to send the browser to. Throws SignInRefused. */
    async begin(provider: OauthProvider, flow: OidcFlow): Promise<string> {
      const problem = urlProblem(provider.authorizationUrl, egress);
      if (problem !== undefined) throw invalidAnswer(`The authorization address ${problem}.`);
      const { scopes } = provider;
      return withParameters(new URL(provider.authorizationUrl), {
        ...(await codeParameters(provider, flow)),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      }).href;
    },

    /** The person who has signed in, from the parameters of the callback. Throws SignInRefused. */
    async finish(
      provider: OauthProvider,
      flow: OidcFlow,
      parameters: Record<string, string>,
      signal: AbortSignal,
    ): Promise<AssertedIdentity> {
      const budget = startBudget(own, signal);
      const server = serverOf(provider);
      try {
        const response = await exchangeCode(
          guarded,
          budget,
          { server, provider, flow },
          parameters,
        );
        const client = clientOf(provider.clientId);
        const tokens = await processAuthorizationCodeResponse(server, client, response);
        assertBearer(tokens);
        return await readUser(guarded, budget, provider, tokens.access_token);
      } catch (error) {
        throw explainError(error);
      }
    },

    /** Findings about a provider for its administrator, without a sign-in. */
    async check(provider: OauthProvider, signal: AbortSignal): Promise<Finding[]> {
      const budget = startBudget(own, signal);
      const redirect = redirectFinding(provider);
      const wrong = endpointFindings({ pools, egress }, provider);
      if (wrong.length > 0) return [...wrong, redirect];
      const target = { server: serverOf(provider), provider, flow: probeFlow() };
      return [
        { check: 'endpoints', level: 'ok', message: 'The addresses may be called.' },
        await probeToken(guarded, budget, target),
        redirect,
      ];
    },
  };
}

function endpointFindings(
  { egress }: Egress,
  { authorizationUrl, tokenUrl, userinfoUrl, emailsUrl }: OauthProvider,
): Finding[] {
  const named = {
    AuthorizationURL: authorizationUrl,
    TokenURL: tokenUrl,
    UserinfoURL: userinfoUrl,
  };
  const all = { ...named, ...(emailsUrl === '' ? {} : { EmailsURL: emailsUrl }) };
  return Object.entries(all).flatMap(([name, url]) => {
    const problem = urlProblem(url, egress);
    return problem === undefined
      ? []
      : [{ check: 'endpoints', level: 'error', message: `${name} ${problem}.` } as const];
  });
}
