import { Buffer } from 'node:buffer';
import { type Database } from '@bailiwick/database';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import {
  type Tokens,
  TokensIntrospectResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { type RightsCache, type RightsKey } from '@bailiwick/revocation';
import { type Handlers } from '@bailiwick/rpc';
import { createNetworks, timeOf, tokenHash, tokenKind } from '@bailiwick/values';
import { type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { findLiveBotKey } from '../bot-keys/queries.ts';
import { findLiveSession, type LiveSession, proofOf } from '../sessions/queries.ts';

type Deps = {
  database: Database;
  authority: Pick<Client<typeof Authority>, 'effective' | 'listUserTenants'>;
  admission: Pick<Client<typeof Admission>, 'isOpen'>;
  rightsCache: RightsCache;
};

type Answer = MessageInitShape<typeof TokensIntrospectResponseSchema>;

/** An answer about a token, the addresses that it holds for, and what ends it. */
type Loaded = {
  value: { answer: Answer; serves: (ip: string) => boolean };
  keys: readonly RightsKey[];
  endsAt: number;
};

const anywhere = () => true;

/** Ended, and therefore never cached: a token that becomes active is active at once. */
const inactive: Loaded = { value: { answer: {}, serves: anywhere }, keys: [], endsAt: 0 };

/**
 * Introspection for the platform's own services. A token whose user or bot is not in the tenant in
 * question is inactive, like an unknown one. Introspection does not extend a session.
 *
 * An active token is cached for a lease, as in a gateway and under the same keys: a change that
 * makes it inactive drops it here before the reply.
 */
export function tokensHandlers(deps: Deps): Handlers<typeof Tokens> {
  return {
    async introspect({ token, tenant, ip }) {
      const kind = tokenKind(token);
      if (kind !== 'session' && kind !== 'botKey') return {};
      const hash = tokenHash(token);
      const load = kind === 'session' ? loadSession : loadBotKey;
      const { answer, serves } = await deps.rightsCache.getOrLoad(
        `${Buffer.from(hash).toString('base64')} ${tenant}`,
        () => load(deps, hash, tenant),
      );
      return serves(ip) ? answer : {};
    },
  };
}

async function loadSession(deps: Deps, hash: Uint8Array, tenant: string): Promise<Loaded> {
  const session = await findLiveSession(deps.database, hash, { touch: false });
  if (!session) return inactive;
  const { id, user_id: userId, sso_place: ssoPlace, limited_to: limitedTo } = session;
  const ends = tenant === '' ? ownEnds(session) : await endsIn(deps, session, tenant);
  if (!ends || ends.idle <= Date.now() || ends.end.getTime() <= Date.now()) return inactive;
  const about = { active: true, type: 'session', id, userId, tenant: limitedTo };
  return {
    value: { answer: { ...about, expiresAt: timestampFromDate(ends.end) }, serves: anywhere },
    // The keys of the gateways' principals and rights.
    keys: [`user:${userId}`, `credential:${id}`, `tenant:${ssoPlace}`, `tenant:${tenant}`],
    endsAt: Math.min(ends.idle, ends.end.getTime()),
  };
}

/** When a session ends: at the latest, and without another call (ms since 1970). */
type Ends = { end: Date; idle: number };

const minutesAfter = (text: string, minutes: number): number =>
  new Date(text).getTime() + minutes * 60_000;

const ownEnds = (session: LiveSession): Ends => ({
  end: new Date(session.expires_at),
  idle: minutesAfter(session.last_seen_at, session.idle_minutes),
});

/**
 * The ends of a session in a tenant. Undefined if the user is not an active member there, or if the
 * tenant requires SSO or a second factor that the session lacks.
 */
async function endsIn(
  { authority }: Deps,
  session: LiveSession,
  tenant: string,
): Promise<Ends | undefined> {
  const { user_id: userId, limited_to: limitedTo } = session;
  if (limitedTo !== '' && limitedTo !== tenant) return undefined;
  const user = { principalType: 'user', principalId: userId };
  const wanted = await authority.effective({ ...user, ...proofOf(session), tenant });
  const isMember = wanted.activeMember ?? (await isMemberOf(authority, userId, tenant));
  if (wanted.ssoRequired || wanted.factorRequired || wanted.providerUnconfirmed || !isMember)
    return undefined;
  const { sessionIdleMinutes: idle, sessionMaxMinutes: max } = wanted;
  const own = ownEnds(session);
  const end = max > 0 ? minutesAfter(session.created_at, max) : Number.POSITIVE_INFINITY;
  return {
    end: end < own.end.getTime() ? new Date(end) : own.end,
    idle: idle > 0 ? Math.min(own.idle, minutesAfter(session.last_seen_at, idle)) : own.idle,
  };
}

/** The membership, from an access service of the previous version. */
async function isMemberOf(
  authority: Deps['authority'],
  userId: string,
  tenant: string,
): Promise<boolean> {
  const { tenants } = await authority.listUserTenants({ userId });
  return tenants.some(({ id }) => id === tenant);
}

async function loadBotKey(
  { database, admission }: Deps,
  hash: Uint8Array,
  asked: string,
): Promise<Loaded> {
  const key = await findLiveBotKey(database, hash);
  if (!key || (asked !== '' && asked !== key.tenant)) return inactive;
  const { id, bot, tenant, permissions, allowedIps } = key;
  // Bots of a suspended tenant have no rights anywhere.
  if (!(await admission.isOpen({ tenant })).open) return inactive;
  const about = { active: true, type: 'bot_key', id, bot, tenant, permissions };
  return {
    value: {
      answer: { ...about, expiresAt: timeOf(key.expiresAt) },
      serves: allowedIps.length === 0 ? anywhere : createNetworks(allowedIps),
    },
    keys: [`bot:${bot}`, `credential:${id}`, `tenant:${tenant}`],
    endsAt: new Date(key.expiresAt).getTime(),
  };
}
