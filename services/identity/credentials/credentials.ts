import { timingSafeEqual } from 'node:crypto';
import { leaseMs } from '@bailiwick/broker';
import {
  createNetworks,
  durationOf,
  type Origin,
  supportCaller,
  type TokenKind,
  timeOf,
} from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type {
  Credentials,
  CredentialUse,
  ResolveBotRequest,
  ResolveSessionRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { durationMs, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  findLiveBotKey,
  findLiveBotKeyById,
  keyUseMs,
  type LiveBotKey,
  recordKeyUses,
  touchBotKey,
} from '../bot-keys/queries.ts';
import { matchesTrust } from '../bot-trusts/match.ts';
import { findTrustsIn, isLiveTrust } from '../bot-trusts/queries.ts';
import { rowOf } from '../rows.ts';
import { endSession } from '../sessions/handlers.ts';
import {
  findLiveSession,
  findLiveSessionById,
  findLiveSessionIds,
  findSupportSession,
  type LiveSession,
  proofOf,
  recordSessionUses,
} from '../sessions/live/queries.ts';
import { limitSession } from '../sessions/queries.ts';
import { endSupport, operatorOf } from '../support/ends.ts';
import { confirmCredential } from './confirm.ts';
import type { InstalledTokens } from './installed.ts';

type Deps = {
  database: Database;
  installed: InstalledTokens;
  authority: Pick<PeerClient<typeof Authority>, 'effective'>;
  issuer: Pick<PeerClient<typeof Issuer>, 'confirmApp'>;
};

/**
 * Resolves the hash of a token for the gateway. Two tokens are installed with the service, the
 * others are stored.
 */
export function credentialsHandlers(deps: Deps): Handlers<typeof Credentials> {
  const { database, installed } = deps;
  return {
    async resolve({ tokenHash: hash, ip, kind, recordsUses }, call) {
      const match = installed.find(
        (candidate) =>
          candidate.hash.length === hash.length && timingSafeEqual(candidate.hash, hash),
      );
      if (match) return match.principal;
      return resolveStored(deps, { hash, ip, kind, recordsUses }, call);
    },

    async resolveSession({ sessionId, unused, recordsUses }, call) {
      const session = await findLiveSessionById(database, sessionId, {
        touch: unused ? undefined : call,
      });
      if (!session) throw unauthenticated();
      return {
        principal: { ...userOf(session), ...sessionLasts(session, { recordsUses, unused }) },
      };
    },

    async recordUses({ uses }, call) {
      await recordUses(database, call, uses);
      return {};
    },

    async findLive({ sessionIds }) {
      return { sessionIds: await findLiveSessionIds(database, sessionIds) };
    },

    resolveBot: (request, call) => resolveBot(database, request, call),

    confirm: ({ credential }, call) => confirmCredential(deps, credential, call),

    async endSession({ sessionId, userId }, call) {
      const caller = { ...call.caller, type: 'user', id: userId, credentialId: sessionId };
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, (tx) =>
        endSession(tx, { ...call, caller }, { userId: caller.id, id: sessionId }),
      );
      return {};
    },

    async limitSession({ sessionId, idleMinutes, maxMinutes }, call) {
      const isLive = await limitSession(database, call, sessionId, { idleMinutes, maxMinutes });
      if (!isLive) throw unauthenticated();
      return {};
    },

    async matchTrusts({ bot, claims: text }) {
      const claims = JSON.parse(text) as Record<string, unknown>;
      const botTrusts = await findTrustsIn(database, bot, String(claims['iss']));
      if (!botTrusts) return {};
      const { tenant, active } = botTrusts;
      const trusts = active ? botTrusts.trusts.filter((trust) => matchesTrust(trust, claims)) : [];
      return {
        tenant,
        active,
        trusts: trusts.map(({ id, issuer, subject, jwks }) => ({ id, issuer, subject, jwks })),
      };
    },
  };
}

/** The bot of a key or a trust. @throws unauthenticated */
async function resolveBot(database: Database, request: ResolveBotRequest, call: Call) {
  const { tenant, bot: id, credentialId, ip, recordsUses, unused } = request;
  const query = { tenant, bot: id, credentialId };
  const key = await findLiveBotKeyById(database, query);
  if (key) return { principal: await useKey(database, call, key, { ip, recordsUses, unused }) };
  if (!(await isLiveTrust(database, query))) throw unauthenticated();
  return { principal: { type: 'bot', id, credentialId, tenant } };
}

async function recordUses(database: Database, call: Call, credentialUses: CredentialUse[]) {
  const uses = credentialUses.map(({ credentialId: id, tenant, ago }) => {
    return { id, tenant, agoMs: Math.round(ago ? durationMs(ago) : 0) };
  });
  const ofSessions = uses.filter(({ tenant }) => tenant === '');
  const ofKeys = uses.filter(({ tenant }) => tenant !== '');
  await recordSessionUses(database, call, ofSessions);
  await recordKeyUses(database, call, ofKeys);
}

type Token = { hash: Uint8Array; ip: string; kind: string; recordsUses: boolean };

/** The holder of a token that is stored. Without a kind it may be of any. @throws unauthenticated */
async function resolveStored(deps: Deps, { hash, ip, kind, recordsUses }: Token, call: Call) {
  const mayBe = (one: TokenKind) => kind === '' || kind === one;
  const session = mayBe('session') && (await findLiveSession(deps.database, hash, { touch: call }));
  if (session) return { ...userOf(session), ...sessionLasts(session, { recordsUses }) };
  const key = mayBe('botKey') && (await findLiveBotKey(deps.database, hash));
  if (key) return useKey(deps.database, call, key, { ip, recordsUses });
  if (mayBe('support')) return supportOf(deps, hash, call);
  throw unauthenticated();
}

/** The times until a principal ends, until a use of it is to be recorded, and between two of them. */
type Times = { endMs: number; dueMs: number; everyMs: number };

/**
 * How long an answer lasts, and when the caller is to record uses of it. For a caller that records
 * none it lasts until the next call is to be written.
 */
const lasts = ({ endMs, dueMs, everyMs }: Times, recordsUses: boolean) =>
  recordsUses
    ? {
        unchangedFor: durationOf(endMs),
        firstUseIn: durationOf(dueMs),
        useEvery: durationOf(everyMs),
      }
    : { unchangedFor: durationOf(Math.min(endMs, dueMs)) };

type UseRules = Pick<ResolveSessionRequest, 'recordsUses'> &
  Partial<Pick<ResolveSessionRequest, 'unused'>>;

// The last use before a session is idle may be recorded seconds after it: the answer ends before that,
// and the next call writes its use itself. A caller who does not use the session needs no margin.
const sessionLasts = (session: LiveSession, { recordsUses, unused = false }: UseRules) =>
  lasts(
    {
      endMs: Math.min(
        session.expires_in_ms,
        session.idle_in_ms - (unused ? 0 : session.use_every_ms),
      ),
      dueMs: session.use_due_in_ms,
      everyMs: session.use_every_ms,
    },
    recordsUses,
  );

/** The bot of a key. A call from an address outside the key's list is no use of it either. */
async function useKey(
  database: Database,
  call: Call,
  key: LiveBotKey,
  { ip, recordsUses, unused = false }: Pick<Token, 'ip'> & UseRules,
) {
  const isUse = !unused && allowsNetwork(key, ip);
  const dueMs = isUse ? await touchBotKey(database, call, key) : key.useDueInMs;
  const { bot: id, id: credentialId, tenant, permissions: narrowedTo, allowedIps } = key;
  const expiresAt = timeOf(key.expiresAt);
  const times = { endMs: key.expiresInMs, dueMs, everyMs: keyUseMs };
  return {
    type: 'bot',
    id,
    credentialId,
    tenant,
    narrowedTo,
    allowedIps,
    expiresAt,
    ...lasts(times, recordsUses),
  };
}

/**
 * The user of a support session. The operator must still be signed in and hold the permission, or
 * the session ends.
 * @throws unauthenticated
 */
async function supportOf(deps: Deps, hash: Uint8Array, call: Origin) {
  const session = await findSupportSession(deps.database, hash);
  if (!session) throw unauthenticated();
  const { operator, operator_session: operatorSession } = session;
  const result = await operatorOf(deps, { operator, operatorSession }, call);
  if ('cause' in result) {
    await endSupport(deps, session, result.cause);
    throw unauthenticated();
  }
  const { own, unchangedMs } = result;
  const ends = [session.expires_at, own.expires_at].map((time) => new Date(time).getTime());
  return {
    ...userOf(session),
    type: supportCaller,
    expiresAt: timestampFromMs(Math.min(...ends)),
    // The operator's own session has no keys here: its provider may end or limit it.
    unchangedFor: durationOf(
      Math.min(leaseMs, session.expires_in_ms, own.expires_in_ms, own.idle_in_ms, unchangedMs),
    ),
    operatorSession,
  };
}

function userOf(session: LiveSession) {
  const { id: credentialId, user_id: id, email, proven_at: provenAt } = session;
  return {
    type: 'user',
    id,
    credentialId,
    email,
    mailboxUnproven: !session.mailbox_proven,
    ...proofOf(session),
    authMethods: session.auth_methods,
    signedInAt: timeOf(session.created_at),
    expiresAt: timeOf(session.expires_at),
    idleMinutes: session.idle_minutes,
    ...(provenAt === null ? {} : { provenAt: timeOf(provenAt) }),
  };
}

const allowsNetwork = ({ allowedIps }: LiveBotKey, ip: string): boolean =>
  allowedIps.length === 0 || createNetworks(allowedIps)(ip);
