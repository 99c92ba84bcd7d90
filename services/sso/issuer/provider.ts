import type { EventEmitter } from 'node:events';
import type { Log } from '@bailiwick/process';
import { type Configuration, errors, type JWK, Provider } from 'oidc-provider';
import { identityScopes } from '../apps/scopes.ts';
import { createAccounts } from './accounts.ts';
import { createAdapter } from './adapter.ts';
import { botResource, isBot } from './bots.ts';
import { clientProperties, compareSecrets } from './clients.ts';
import { type Context, type Middleware, oidcOf, reply } from './context.ts';
import type { IssuerDeps } from './deps.ts';
import { devicePages, fillInCode, guardDeviceCodes } from './device.ts';
import { exchangeTokens } from './exchange.ts';
import { addTenantToGrants, createFindResource, createGrants } from './grants.ts';
import { finishInteractions, interactionUrl, promptPolicy } from './interactions.ts';
import { lifetimes } from './lifetimes.ts';
import { logoutPages, signOutEverywhere } from './logout.ts';
import { refuseWeakProofs } from './proof-keys.ts';
import { followSessions } from './sessions.ts';
import { auditRequest, followEvents } from './sign-in-audit.ts';
import { issueTogether } from './token-requests.ts';
import { assurances } from './unmet-requirement.ts';

// oidc-provider with our apps, people, sessions and pages. The library alone implements the
// protocol.

/** Makes the OpenID provider that signs with these keys. */
export function createProvider(deps: IssuerDeps, keys: JWK[], cookieKeys: string[]): Provider {
  const { publicUrl, people, log } = deps;
  const provider = new Provider(publicUrl, configurationOf(deps, keys, cookieKeys));
  // The library may trust the forwarded headers: handlers.ts sets them.
  provider.proxy = true;
  compareSecrets(provider, deps.bots);
  followSessions(provider);
  addTenantToGrants(provider);
  guardDeviceCodes(provider, deps);
  exchangeTokens(provider, deps);
  // Each app gets the ID of the session that its tokens belong to.
  provider.Client.prototype.includeSid = () => true;
  provider.use(pagePolicy);
  provider.use(claimsOnlyByScope);
  provider.use(refuseWeakProofs);
  provider.use(finishInteractions(provider, deps));
  provider.use(signOutEverywhere(people));
  provider.use(fillInCode);
  followEvents(provider);
  provider.use(async (ctx, next) => auditRequest(deps, ctx, await issueTogether(deps, ctx, next)));
  provider.on('server_error', (_ctx, error) => logFailure(log, error));
  // Koa's own event: for what fails outside of the library's routes.
  (provider as EventEmitter).on('error', (error) => logFailure(log, error));
  return provider;
}

/** With the keys of apps. Never HMAC: an app's secret is not stored. */
const ofApps = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

const logFailure = (log: Log, error: unknown): void =>
  log.error('the OpenID provider failed', { error });

const routes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  jwks: '/oauth/jwks',
  introspection: '/oauth/introspect',
  pushed_authorization_request: '/oauth/par',
  revocation: '/oauth/revoke',
  end_session: '/oauth/logout',
  device_authorization: '/oauth/device_authorization',
  code_verification: '/device',
};

function configurationOf(deps: IssuerDeps, keys: JWK[], cookieKeys: string[]): Configuration {
  const { publicUrl } = deps;
  const accounts = createAccounts(deps.people, deps.tenants);
  return {
    adapter: createAdapter(deps),
    jwks: { keys },
    scopes: [...identityScopes],
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time', 'tenant', 'tenant_slug', 'roles'],
      groups: ['groups', 'groups_omitted'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'picture', 'locale'],
    },
    // Many clients read nothing but the ID token.
    conformIdTokenClaims: false,
    acrValues: [...assurances],
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    extraClientMetadata: { properties: [...clientProperties] },
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    enabledJWA: {
      // Access tokens have ES256, and no app can choose it for ID tokens.
      idTokenSigningAlgValues: ['RS256'],
      clientAuthSigningAlgValues: [...ofApps],
      requestObjectSigningAlgValues: [...ofApps],
    },
    cookies: cookiesOf(cookieKeys),
    routes,
    features: featuresOf(publicUrl, accounts),
    interactions: {
      policy: promptPolicy(),
      url: (_ctx, { uid }) => interactionUrl(publicUrl, uid),
    },
    ...accounts,
    extraParams: ['tenant', 'organization'],
    loadExistingGrant: createGrants(deps),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Each use of a token checks the person's session (accounts.ts), so this would check it twice.
    expiresWithSession: () => false,
    renderError,
    ttl: lifetimes,
  };
}

function cookiesOf(keys: string[]): NonNullable<Configuration['cookies']> {
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    names: {
      session: 'bailiwick_op_session',
      interaction: 'bailiwick_op_interaction',
      resume: 'bailiwick_op_resume',
    },
    keys,
    long: cookie,
    short: cookie,
  };
}

function featuresOf(
  publicUrl: string,
  { findAccount }: ReturnType<typeof createAccounts>,
): NonNullable<Configuration['features']> {
  const findResource = createFindResource(publicUrl);
  return {
    devInteractions: { enabled: false },
    // For the assurance alone.
    claimsParameter: { enabled: true },
    clientCredentials: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    requestObjects: { enabled: true, assertJwtClaimsAndHeader: assertBound },
    dPoP: { enabled: true },
    introspection: {
      enabled: true,
      /** An app may introspect its own tokens, unless userinfo would refuse them. */
      async allowedPolicy(ctx, client, token) {
        if (token.clientId !== client.clientId) return false;
        if (token.kind === 'ClientCredentials') return true;
        return !!(await findAccount?.(ctx, token.accountId, token));
      },
    },
    revocation: { enabled: true },
    // For the discovery document. The library does not call the apps: their clients have no address
    // for it. The queue does, also when a session ends in another way.
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: { enabled: true, ...logoutPages(publicUrl) },
    deviceFlow: { enabled: true, ...devicePages(publicUrl) },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, client, oneOf) =>
        oneOf ?? (isBot(client.clientId) ? publicUrl : undefined),
      getResourceServerInfo: (ctx, resource, client) =>
        isBot(client.clientId)
          ? botResource(ctx, resource, publicUrl)
          : findResource(ctx, resource, client),
    },
  };
}

/** A signed request is one app's, for this issuer and for a time (RFC 9101, section 4). */
function assertBound(_ctx: Context, claims: Readonly<Record<string, unknown>>): void {
  const missing = ['iss', 'aud', 'exp'].find((name) => claims[name] === undefined);
  if (missing !== undefined)
    throw new errors.InvalidRequestObject(`the signed request is missing the claim ${missing}`);
}

/** The routes that browsers open. All others are called by apps, which read JSON. */
const pageRoutes = /^(?:authorization|resume|end_session|code_verification|device_resume)/;

function renderError(
  ctx: Context,
  out: { error: string; error_description?: string | undefined },
): void {
  if (!pageRoutes.test(ctx.oidc.route)) {
    ctx.body = out;
    return;
  }
  reply(ctx, { kind: 'failure', failure: out.error_description ?? out.error });
}

/** Of the claims parameter only `acr` counts: the scopes say which claims an app gets. */
const claimsOnlyByScope: Middleware = async (ctx, next) => {
  await next();
  if (oidcOf(ctx)?.route === 'discovery')
    Object.assign(ctx.body as object, { claims_parameter_supported: false });
};

/** The library's own pages only send a form on, with a script whose hash it adds here. */
const pagePolicy: Middleware = (ctx, next) => {
  ctx.set(
    'content-security-policy',
    "default-src 'none'; script-src 'self'; form-action https: http:; base-uri 'none'; frame-ancestors 'none'",
  );
  return next();
};
