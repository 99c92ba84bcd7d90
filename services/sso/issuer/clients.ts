import { Buffer } from 'node:buffer';
import type { RightsCache } from '@bailiwick/broker';
import { isId, logoFields } from '@bailiwick/contract';
import type { AdapterPayload, Client, JWKS } from 'oidc-provider';
import { Provider } from 'oidc-provider';
import type { AppRow } from '../apps/entities.ts';
import { identityScopes } from '../apps/scopes.ts';
import { isSecretOf, usesSecret } from '../apps/secret.ts';
import { reuseSecondsOf } from '../apps/values.ts';
import { type Bots, botClient, isBot } from './bots.ts';
import { commandLineId, commandLineOf } from './command-line.ts';
import { type ClientApp, type Context, setBot } from './context.ts';

// The apps as clients of oidc-provider.

export type FindClient = (id: string, ctx?: Context) => Promise<AdapterPayload | undefined>;

/** The properties of a client beyond those of the protocol. */
export const clientProperties = ['app'] as const;

type FindApp = (clientId: string) => Promise<AppRow | undefined>;

/** Finds apps in the cache of rights: an app ends there with the reply of the call that changes it. */
export const cacheApps =
  (rightsCache: Pick<RightsCache, 'getOrLoad'>, findApp: FindApp): FindApp =>
  (clientId) =>
    rightsCache.getOrLoad(`app ${clientId}`, async () => {
      const app = await findApp(clientId);
      return { value: app, keys: [`app:${clientId}`], lastsMs: app ? unchangedMs(app) : 0 };
    });

/** A previous secret is erased after its time. */
const unchangedMs = ({ previousSecretUntil: until }: AppRow): number =>
  until ? new Date(until).getTime() - Date.now() : Number.POSITIVE_INFINITY;

/** Finds the client of an id: a bot, the command line, or an active app. */
export const createFindClient =
  (findApp: FindApp, publicUrl: string): FindClient =>
  async (clientId, ctx) => {
    if (isBot(clientId)) return botClient(clientId, publicUrl, ctx);
    if (clientId === commandLineId) return metadataOf(commandLineOf(publicUrl));
    // Anyone may send any text, and PostgreSQL takes no NUL.
    const app = isId('app', clientId) ? await findApp(clientId) : undefined;
    return app?.active ? metadataOf(app) : undefined;
  };

function metadataOf(app: AppRow): AdapterPayload {
  const method = app.tokenEndpointAuthMethod;
  return {
    client_id: app.id,
    client_name: app.name,
    application_type: app.kind === 'native' || app.kind === 'device' ? 'native' : 'web',
    redirect_uris: app.redirectUris,
    post_logout_redirect_uris: app.postLogoutRedirectUris,
    response_types: hasPages(app) ? ['code'] : [],
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
    app: clientAppOf(app),
  };
}

/** Whether the users of an app come back to it in their browser. */
const hasPages = ({ kind }: AppRow): boolean => kind !== 'service' && kind !== 'device';

/**
 * The grant types of an app. A code that people enter elsewhere can be phished, so that an app has
 * to be registered for it: a native app does not get it by itself.
 */
function grantsOf(app: AppRow): string[] {
  const { id, kind, scopes } = app;
  if (kind === 'service') return ['client_credentials'];
  return [
    ...(hasPages(app) ? ['authorization_code'] : []),
    ...(kind === 'device' || id === commandLineId ? [deviceGrant] : []),
    ...(scopes.includes('offline_access') ? ['refresh_token'] : []),
  ];
}
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const hex = (hash: Uint8Array | null | undefined): string =>
  Buffer.from(hash ?? []).toString('hex');

function clientAppOf(app: AppRow): ClientApp {
  const { tenant, resources, scopes, tokenLifetimeSeconds, requireConsent, logo } = app;
  const { previousSecretUntil: until, lockedAt } = app;
  return {
    tenant,
    resources,
    scopes,
    tokenLifetimeSeconds,
    requireConsent,
    refreshReuseSeconds: reuseSecondsOf(app),
    ...(logo && { logo }),
    secret: hex(app.secretHash),
    previousSecret: hex(app.previousSecretHash),
    previousSecretUntil: until ? new Date(until).toISOString() : null,
    lockedAt: lockedAt ? new Date(lockedAt).toISOString() : null,
  };
}

/** The app of a client. */
export const appOf = (client: object): ClientApp => (client as { app: ClientApp }).app;

/** The fields of an app that pages show. */
export function describeApp(client: Client) {
  const { tenant, logo } = appOf(client);
  const fields = logo && logoFields(client.clientId, logo);
  return {
    app: client.clientName ?? '',
    tenant,
    ...(fields && {
      logo: { path: fields.logoPath, width: fields.logoWidth, height: fields.logoHeight },
    }),
  };
}

/**
 * Whether any program on a person's device may use an address of a native app: only https proves
 * which app gets the code (RFC 8252, section 8.6).
 */
export const isUnproven = ({ applicationType }: Client, redirectUri: unknown): boolean =>
  applicationType === 'native' &&
  // A device has no address, and the person has confirmed its code.
  typeof redirectUri === 'string' &&
  redirectUri !== '' &&
  URL.parse(redirectUri)?.protocol !== 'https:';

/**
 * Makes a provider compare hashes of secrets: the secrets themselves are not stored. The secrets of
 * bots are their keys.
 */
export function compareSecrets(provider: Provider, bots: Pick<Bots, 'findByKey'>): void {
  provider.Client.prototype.compareClientSecret = async function compare(presented: string) {
    if (isBot(this.clientId)) {
      // The library hands no context over.
      const { ctx } = Provider;
      const bot = ctx && (await bots.findByKey(ctx, this.clientId, presented));
      if (bot) setBot(ctx.oidc, bot);
      return bot !== undefined;
    }
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
