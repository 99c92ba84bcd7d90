import {
  botTokenSeconds,
  callerNetwork,
  createNetworks,
  includes,
  isId,
  type Limit,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Limiter } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { AdapterPayload, ResourceServer } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { botIn, type ClientApp, type Context, stateOf } from './context.ts';
import { noneIfEnded, type PeopleDeps } from './people.ts';
import { originOf, type ProvenBot } from './request.ts';

// Bots as clients of oidc-provider. Their tokens are for Bailiwick's own operations: a resource name
// belongs to no tenant, and a bot has no list of the services that its tokens may be for.

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** A permission or a pattern of permissions. */
const permission = /^(\*|[a-z][a-z0-9_-]*([.:][a-z0-9_-]+){0,4}[.:]([a-z0-9_-]+|\*))$/;

export const isBot = (clientId: string): boolean => isId('bot', clientId);

/**
 * The client of a bot's ID, whether the bot exists or not: only the answer to a credential depends
 * on it. A bot exchanges another issuer's token without a secret, and does all else with its key.
 */
export function botClient(id: string, publicUrl: string, ctx?: Context): AdapterPayload {
  const { route, params } = ctx?.oidc ?? {};
  const exchanges = route === 'token' && params?.['grant_type'] === exchangeGrant;
  const app: ClientApp = {
    tenant: '',
    resources: [publicUrl],
    scopes: [],
    tokenLifetimeSeconds: botTokenSeconds,
    refreshReuseSeconds: 0,
    requireConsent: false,
    secret: '',
    previousSecret: '',
    previousSecretUntil: null,
    lockedAt: null,
  };
  return {
    client_id: id,
    client_name: id,
    application_type: 'web',
    redirect_uris: [],
    response_types: [],
    grant_types: [exchanges ? exchangeGrant : 'client_credentials'],
    scope: 'openid',
    ...(exchanges
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'hashed' }),
    app,
  };
}

export type BotDeps = {
  credentials: Pick<PeopleDeps['credentials'], 'resolve'>;
  admission: Pick<PeerClient<typeof Admission>, 'isOpen'>;
  limiter: Pick<Limiter, 'use'>;
  limits: Readonly<Record<string, Limit>>;
};

export type Bots = ReturnType<typeof createBots>;

export function createBots({ credentials, admission, limiter, limits }: BotDeps) {
  /** Counts an attempt of a bot from one address. @throws an answer with status 429 */
  async function count(ctx: Context, id: string): Promise<void> {
    const limit = limits['bot_token'];
    const key = `bot_token ${id} ${callerNetwork(stateOf(ctx).request.ip)}`;
    const wait = limit ? await limiter.use(key, limit) : 0;
    if (wait === 0) return;
    ctx.set('retry-after', String(wait));
    throw new TooManyAttempts();
  }

  return {
    count,

    /** The bot of a key, if it may be used from this address and the bot's tenant is active. */
    async findByKey(ctx: Context, id: string, secret: string): Promise<ProvenBot | undefined> {
      await count(ctx, id);
      if (tokenKind(secret) !== 'botKey') return undefined;
      const { request } = stateOf(ctx);
      const { ip } = request;
      const call = originOf(request);
      const key = await credentials
        .resolve({ tokenHash: tokenHash(secret), ip }, call)
        .catch(noneIfEnded);
      if (key?.type !== 'bot' || key.id !== id) return undefined;
      const { tenant, credentialId, narrowedTo, allowedIps } = key;
      if (allowedIps.length > 0 && !createNetworks(allowedIps)(ip)) return undefined;
      if (!(await admission.isOpen({ tenant }, call)).open) return undefined;
      return { id, tenant, credentialId, narrowedTo };
    },
  };
}

class TooManyAttempts extends errors.OIDCProviderError {
  constructor() {
    super(429, 'temporarily_unavailable');
    this.error_description = 'too many requests, try again later';
  }
}

/**
 * Bailiwick as the resource of the bot's token. Without `scope` the token has all that the
 * credential has, but permissions on the platform, which have to be named.
 */
export function botResource(
  { oidc }: Context,
  resource: string,
  publicUrl: string,
): ResourceServer {
  const bot = botIn(oidc);
  if (resource !== publicUrl || !bot)
    throw new errors.InvalidTarget(`the tokens of bots are for ${publicUrl} only`);
  const requested = [...oidc.requestParamScopes];
  const scope = (requested.length > 0 ? scopesWithin(bot, requested) : allScopes(bot)).join(' ');
  Object.assign(oidc.params ?? {}, { scope });
  return {
    scope,
    audience: publicUrl,
    accessTokenFormat: 'jwt',
    accessTokenTTL: botTokenSeconds,
    jwt: { sign: { alg: 'ES256' } },
  };
}

const allScopes = ({ narrowedTo }: ProvenBot): readonly string[] =>
  narrowedTo.length > 0 ? narrowedTo : ['*'];

function scopesWithin({ narrowedTo }: ProvenBot, requested: readonly string[]): readonly string[] {
  const allowed = narrowedTo.length > 0 ? narrowedTo : ['*', 'iam.platform.*'];
  const excess = requested.find((scope) => !permission.test(scope) || !includes(allowed, scope));
  if (excess !== undefined)
    throw new errors.InvalidScope('the credential has no such permission', excess);
  return requested;
}
