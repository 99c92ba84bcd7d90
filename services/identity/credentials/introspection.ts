import { Buffer } from 'node:buffer';
import { leaseMs, type RightsCache, type RightsKey } from '@bailiwick/broker';
import {
  createNetworks,
  lastsOf,
  type Origin,
  sessionCheckOf,
  timeOf,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import {
  type Tokens,
  TokensIntrospectResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { type MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { findLiveBotKey } from '../bot-keys/queries.ts';
import { findLiveSession, type LiveSession, proofOf } from '../sessions/live/queries.ts';

type Deps = {
  database: Database;
  authority: Pick<PeerClient<typeof Authority>, 'effective'>;
  admission: Pick<PeerClient<typeof Admission>, 'isOpen'>;
  rightsCache: RightsCache;
};

type Answer = MessageInitShape<typeof TokensIntrospectResponseSchema>;

/** An answer about a token, the addresses that it holds for, and what ends it. */
type CacheEntry = {
  value: { answer: Answer; serves: (ip: string) => boolean };
  keys: readonly RightsKey[];
  /** How long the answer stays the same without a revocation. */
  lastsMs: number;
};

const anywhere = () => true;

/** Ended, and therefore never cached: a token that becomes active is active at once. */
const inactive: CacheEntry = { value: { answer: {}, serves: anywhere }, keys: [], lastsMs: 0 };

/**
 * Introspection for the platform's own services. A token whose user or bot is not in the tenant in
 * question is inactive, like an unknown one. Introspection does not extend a session.
 *
 * An active token is cached, as in a gateway and under the same keys: a change that
 * makes it inactive drops it here before the reply.
 */
export function tokensHandlers(deps: Deps): Handlers<typeof Tokens> {
  return {
    async introspect({ token, tenant, ip }, call) {
      const kind = tokenKind(token);
      if (kind !== 'session' && kind !== 'botKey') return {};
      const hash = tokenHash(token);
      const load = kind === 'session' ? loadSession : loadBotKey;
      const { answer, serves } = await deps.rightsCache.getOrLoad(
        `${Buffer.from(hash).toString('base64')} ${tenant}`,
        () => load(deps, hash, tenant, call),
      );
      return serves(ip) ? answer : {};
    },
  };
}

async function loadSession(
  deps: Deps,
  hash: Uint8Array,
  tenant: string,
  call: Origin,
): Promise<CacheEntry> {
  const session = await findLiveSession(deps.database, hash);
  if (!session) return inactive;
  const { id, user_id: userId, sso_place: ssoPlace, limited_to: limitedTo } = session;
  const end = await endOf(deps, session, tenant, call);
  if (!end) return inactive;
  const { expiresAt, cacheKeys, lastsMs } = end;
  if (lastsMs <= 0) return inactive;
  const fields = { active: true, type: 'session', id, userId, tenant: limitedTo };
  return {
    value: { answer: { ...fields, expiresAt }, serves: anywhere },
    // The keys of the gateways' principals and rights.
    keys: [
      ...([
        `user:${userId}`,
        `credential:${id}`,
        `tenant:${ssoPlace}`,
        `tenant:${tenant}`,
      ] as const),
      ...cacheKeys,
    ],
    lastsMs,
  };
}

/**
 * `cacheKeys`: the keys of those whose rights limit the session. `lastsMs`: how long the session
 * satisfies the tenant without a change or a further call.
 */
type End = { expiresAt: Timestamp; lastsMs: number; cacheKeys: readonly RightsKey[] };

/**
 * When a session ends in a tenant, '' = by its own record. Undefined if it does not satisfy the
 * tenant.
 */
async function endOf(
  { authority }: Deps,
  session: LiveSession,
  tenant: string,
  call: Origin,
): Promise<End | undefined> {
  const { user_id: principalId, idle_minutes: idleMinutes } = session;
  const expiresAt = timeOf(session.expires_at);
  const ownMs = Math.min(session.expires_in_ms, session.idle_in_ms);
  if (tenant === '') return { expiresAt, lastsMs: ownMs, cacheKeys: [] };
  const times = { signedInAt: timeOf(session.created_at), expiresAt, idleMinutes };
  const user = { principalType: 'user', principalId, ...proofOf(session) };
  const effective = await authority.effective({ ...user, tenant, session: times }, call);
  const { refusal, ...end } = sessionCheckOf(effective, times);
  if (refusal !== 'none' || !end.endsAt) return undefined;
  // The tenant ends the session sooner by as much as its limits are lower.
  const lowerMs = timestampMs(expiresAt) - timestampMs(end.endsAt);
  const lowerIdleMs = (idleMinutes - (end.idleMinutes ?? idleMinutes)) * 60_000;
  return {
    expiresAt: end.endsAt,
    lastsMs: Math.min(
      session.expires_in_ms - lowerMs,
      session.idle_in_ms - lowerIdleMs,
      lastsOf(effective, leaseMs),
    ),
    cacheKeys: effective.cacheKeys as RightsKey[],
  };
}

async function loadBotKey(
  { database, admission }: Deps,
  hash: Uint8Array,
  requestedTenant: string,
  call: Origin,
): Promise<CacheEntry> {
  const key = await findLiveBotKey(database, hash);
  if (!key || (requestedTenant !== '' && requestedTenant !== key.tenant)) return inactive;
  const { id, bot, tenant, permissions, allowedIps } = key;
  // Bots of a suspended tenant have no rights anywhere.
  if (!(await admission.isOpen({ tenant }, call)).open) return inactive;
  const fields = { active: true, type: 'bot_key', id, bot, tenant, permissions };
  return {
    value: {
      answer: { ...fields, expiresAt: timeOf(key.expiresAt) },
      serves: allowedIps.length === 0 ? anywhere : createNetworks(allowedIps),
    },
    keys: [`bot:${bot}`, `credential:${id}`, `tenant:${tenant}`],
    lastsMs: key.expiresInMs,
  };
}
