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
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  findLiveBotKey,
  findLiveBotKeyById,
  type LiveBotKey,
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
    async resolve({ tokenHash: hash, ip, kind }, call) {
      const match = installed.find(
        (candidate) =>
          candidate.hash.length === hash.length && timingSafeEqual(candidate.hash, hash),
      );
      if (match) return match.principal;
      return resolveStored(deps, { hash, ip, kind }, call);
    },

    async resolveSession({ sessionId, unused }, call) {
      const session = await findLiveSessionById(database, sessionId, {
        touch: unused ? undefined : call,
      });
      if (!session) throw unauthenticated();
      return { principal: userOf(session) };
    },

    async findLive({ sessionIds }) {
      return { sessionIds: await findLiveSessionIds(database, sessionIds) };
    },

    async resolveBot({ tenant, bot: id, credentialId, ip }, call) {
      const query = { tenant, bot: id, credentialId };
      const key = await findLiveBotKeyById(database, query);
      if (key) return { principal: await useKey(database, call, key, ip) };
      if (!(await isLiveTrust(database, query))) throw unauthenticated();
      return { principal: { type: 'bot', id, credentialId, tenant } };
    },

    confirm: ({ credential }, call) => confirmCredential(deps, credential, call),

    async endSession({ sessionId, userId }, call) {
      const caller = { ...call.caller, type: 'user', id: userId, credentialId: sessionId };
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, (tx) =>
        endSession(tx, { ...call, caller }, sessionId),
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

type Token = { hash: Uint8Array; ip: string; kind: string };

/** The holder of a token that is stored. Without a kind it may be of any. @throws unauthenticated */
async function resolveStored(deps: Deps, { hash, ip, kind }: Token, call: Call) {
  const mayBe = (one: TokenKind) => kind === '' || kind === one;
  const session = mayBe('session') && (await findLiveSession(deps.database, hash, { touch: call }));
  if (session) return userOf(session);
  const key = mayBe('botKey') && (await findLiveBotKey(deps.database, hash));
  if (key) return useKey(deps.database, call, key, ip);
  if (mayBe('support')) return supportOf(deps, hash, call);
  throw unauthenticated();
}

/**
 * The bot of a key. From an address outside the key's list this is not a use of it. The answer lasts
 * until the next use is to be written.
 */
async function useKey(database: Database, call: Call, key: LiveBotKey, ip: string) {
  const dueMs = allowsNetwork(key, ip) ? await touchBotKey(database, call, key) : key.useDueInMs;
  const { bot: id, id: credentialId, tenant, permissions: narrowedTo, allowedIps } = key;
  const expiresAt = timeOf(key.expiresAt);
  const unchangedFor = durationOf(Math.min(key.expiresInMs, dueMs));
  return { type: 'bot', id, credentialId, tenant, narrowedTo, allowedIps, expiresAt, unchangedFor };
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
    // The next use is to be written then.
    unchangedFor: durationOf(Math.min(session.expires_in_ms, session.use_due_in_ms)),
    idleMinutes: session.idle_minutes,
    ...(provenAt === null ? {} : { provenAt: timeOf(provenAt) }),
  };
}

const allowsNetwork = ({ allowedIps }: LiveBotKey, ip: string): boolean =>
  allowedIps.length === 0 || createNetworks(allowedIps)(ip);
