import { Buffer } from 'node:buffer';
import type { AdapterPayload, Client, JWKS, default as Provider } from 'oidc-provider';
import type { AppRow } from '../apps/entities.ts';
import { identityScopes } from '../apps/scopes.ts';
import { isSecretOf, usesSecret } from '../apps/secret.ts';
import { type Bots, botClient, isBot } from './bots.ts';

// The apps as clients of oidc-provider.

export type FindClient = (clientId: string) => Promise<AdapterPayload | undefined>;

/** The properties of a client beyond those of the protocol. */
export const clientProperties = ['app'] as const;

/** The part of an app that the rules read. The library caches clients by their content as JSON. */
export type ClientApp = Pick<
  AppRow,
  'tenant' | 'resources' | 'scopes' | 'tokenLifetimeSeconds' | 'requireConsent'
> & {
  /** SHA-256 of the secrets, in hexadecimal; '' = none. */
  secret: string;
  previousSecret: string;
  previousSecretUntil: string | null;
};

/** The kinds of apps that are served. */
const served = new Set(['web', 'spa', 'native', 'service']);

/** Finds the client of an id: a bot, or an active app of a kind that is served. */
export const createFindClient =
  (findApp: (clientId: string) => Promise<AppRow | undefined>, publicUrl: string): FindClient =>
  async (clientId) => {
    if (isBot(clientId)) return botClient(clientId, publicUrl);
    const app = await findApp(clientId);
    return app?.active && served.has(app.kind) ? metadataOf(app) : undefined;
  };

function metadataOf(app: AppRow): AdapterPayload {
  const method = app.tokenEndpointAuthMethod;
  return {
    client_id: app.id,
    client_name: app.name,
    application_type: app.kind === 'native' ? 'native' : 'web',
    redirect_uris: app.redirectUris,
    post_logout_redirect_uris: app.postLogoutRedirectUris,
    response_types: app.kind === 'service' ? [] : ['code'],
    grant_types: grantsOf(app),
    // The library reads an empty list as all scopes.
    scope: app.scopes.filter((scope) => identityScopes.includes(scope)).join(' ') || 'openid',
    token_endpoint_auth_method: method,
    require_pushed_authorization_requests: app.requirePar,
    dpop_bound_access_tokens: app.dpop,
    // The library requires a value. It is never compared (`compareSecrets`), and signs nothing,
    // because HMAC is off.
    ...(usesSecret(method) && { client_secret: 'hashed' }),
    ...(app.jwks !== '' && { jwks: JSON.parse(app.jwks) as JWKS }),
    app: aboutOf(app),
  };
}

function grantsOf({ kind, scopes }: AppRow): string[] {
  if (kind === 'service') return ['client_credentials'];
  return scopes.includes('offline_access')
    ? ['authorization_code', 'refresh_token']
    : ['authorization_code'];
}

const hex = (hash: Uint8Array | null | undefined): string =>
  Buffer.from(hash ?? []).toString('hex');

function aboutOf(app: AppRow): ClientApp {
  const { tenant, resources, scopes, tokenLifetimeSeconds, requireConsent } = app;
  const until = app.previousSecretUntil;
  return {
    tenant,
    resources,
    scopes,
    tokenLifetimeSeconds,
    requireConsent,
    secret: hex(app.secretHash),
    previousSecret: hex(app.previousSecretHash),
    previousSecretUntil: until ? new Date(until).toISOString() : null,
  };
}

/** The app of a client. */
export const appOf = (client: object): ClientApp => (client as { app: ClientApp }).app;

/**
 * Whether any program on a person's device may use an address of a native app: only https proves
 * which app gets the code (RFC 8252, section 8.6).
 */
export const isUnproven = ({ applicationType }: Client, redirectUri: unknown): boolean =>
  applicationType === 'native' && URL.parse(String(redirectUri))?.protocol !== 'https:';

/**
 * Makes a provider compare hashes of secrets: the secrets themselves are not stored. The secrets of
 * bots are their keys.
 */
export function compareSecrets(provider: Provider, bots: Pick<Bots, 'hasKey'>): void {
  provider.Client.prototype.compareClientSecret = function compare(presented: string) {
    if (isBot(this.clientId)) return bots.hasKey(this.clientId, presented);
    const { secret, previousSecret, previousSecretUntil } = appOf(this);
    const hashes = {
      secretHash: Buffer.from(secret, 'hex'),
      secretCreatedAt: null,
      previousSecretHash: Buffer.from(previousSecret, 'hex'),
      previousSecretUntil,
    };
    return isSecretOf(hashes, presented);
  };
}
