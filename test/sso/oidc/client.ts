import { randomBytes } from 'node:crypto';
import { createPools, egressRules } from '@bailiwick/egress';
import type { Log } from '@bailiwick/process';
import { type Limits, limits } from '@bailiwick/sso/oidc/http.ts';
import { createOidc, type OidcFlow, type OidcProvider } from '@bailiwick/sso/oidc/oidc.ts';
import { SignInRefused } from '@bailiwick/sso/refusal.ts';
import { visit } from './visit.ts';

// The OpenID Connect client of the sso service, without the service around it.

export const redirectUri = 'http://127.0.0.1:9/callback';

export type OidcClient = ReturnType<typeof startClient>;

/**
 * Starts the client. The egress guard allows loopback, or `hosts` and `cidrs` instead. `lines`
 * holds its log lines.
 */
export function startClient({
  hosts = [],
  cidrs = ['127.0.0.0/8'],
  ...own
}: Partial<Limits> & { hosts?: string[]; cidrs?: string[] } = {}) {
  const lines: string[] = [];
  const write = (message: string, fields?: unknown) =>
    void lines.push(JSON.stringify([message, fields]));
  const log: Log = { info: write, warn: write, error: write };
  const pools = createPools({ ...limits, connectMs: 2000 });
  const oidc = createOidc(
    { pools, egress: egressRules({ hosts, cidrs, ports: [] }), log },
    { ...limits, ...own },
  );
  return {
    ...oidc,
    lines,
    /** Starts a sign-in and passes the provider's pages. `finish` processes the response. */
    async signIn(provider: OidcProvider, login: string) {
      const flow = newFlow();
      const { parameters, method } = await visit(
        await oidc.begin(provider, flow),
        provider.redirectUri,
        login,
      );
      const finish = () => oidc.finish(provider, flow, parameters, new AbortController().signal);
      return { flow, method, parameters, finish };
    },
    stop: () => pools.close(),
  };
}

export function newFlow(): OidcFlow {
  const random = () => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), codeVerifier: random() };
}

export const providerOf = (issuer: string, over: Partial<OidcProvider> = {}): OidcProvider => ({
  issuer,
  clientId: 'bailiwick',
  clientSecret: 'a secret that is long enough for HMAC-SHA256',
  tokenAuthMethod: 'client_secret_basic',
  scopes: ['openid', 'email', 'profile', 'groups'],
  responseMode: 'query',
  redirectUri,
  claims: ['email'],
  ...over,
});

/** The refusal that `act` rejects with. @throws if it succeeds or fails in another way */
export async function refusalOf(act: () => Promise<unknown>): Promise<SignInRefused> {
  const outcome = await act().then(
    () => new Error('the sign-in was not rejected'),
    (error: unknown) => error,
  );
  if (outcome instanceof SignInRefused) return outcome;
  throw outcome;
}
