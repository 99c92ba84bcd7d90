import { timingSafeEqual } from 'node:crypto';
import { createNetworks, supportCaller, timeOf } from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import {
  findLiveBotKey,
  findLiveBotKeyById,
  type LiveBotKey,
  touchBotKey,
} from '../bot-keys/queries.ts';
import { matchesTrust } from '../bot-trusts/match.ts';
import { findTrustsIn, isLiveTrust } from '../bot-trusts/queries.ts';
import { endSession } from '../sessions/handlers.ts';
import {
  findLiveSession,
  findLiveSessionById,
  findLiveSessionIds,
  findSupportSession,
  type LiveSession,
  limitSession,
  proofOf,
} from '../sessions/queries.ts';
import { endSupport, operatorOf } from '../support/ends.ts';
import { confirmCredential } from './confirm.ts';
import type { Installed } from './installed.ts';

type Deps = {
  database: Database;
  installed: Installed;
  authority: Pick<Client<typeof Authority>, 'effective'>;
  issuer: Pick<Client<typeof Issuer>, 'confirmApp'>;
};

/**
 * Resolves the hash of a token for the gateway. Two tokens are installed with the service, the
 * others are stored.
 */
export function credentialsHandlers(deps: Deps): Handlers<typeof Credentials> {
  const { database, installed } = deps;
  return {
    async resolve({ tokenHash: hash, ip }) {
      const match = installed.find(
        (candidate) =>
          candidate.hash.length === hash.length && timingSafeEqual(candidate.hash, hash),
      );
      if (match) return match.principal;
      const session = await findLiveSession(database, hash);
      if (session) return userOf(session);
      const key = await findLiveBotKey(database, hash);
      if (!key) return supportOf(deps, hash);
      return useKey(database, key, ip);
    },

    async resolveSession({ sessionId, unused }) {
      const session = await findLiveSessionById(database, sessionId, { touch: !unused });
      if (!session) throw unauthenticated();
      return { principal: userOf(session) };
    },

    async findLive({ sessionIds }) {
      return { sessionIds: await findLiveSessionIds(database, sessionIds) };
    },

    async resolveBot({ tenant, bot: id, credentialId, ip }) {
      const about = { tenant, bot: id, credentialId };
      const key = await findLiveBotKeyById(database, about);
      if (key) return { principal: await useKey(database, key, ip) };
      if (!(await isLiveTrust(database, about))) throw unauthenticated();
      return { principal: { type: 'bot', id, credentialId, tenant } };
    },

    confirm: ({ credential }) => confirmCredential(deps, credential),

    async endSession({ sessionId, userId }, call) {
      const caller = { ...call.caller, type: 'user', id: userId, credentialId: sessionId };
      await database.transaction({ tenant: null, row: `user ${userId}` }, (em) =>
        endSession(em, { ...call, caller }, sessionId),
      );
      return {};
    },

    async limitSession({ sessionId, idleMinutes, maxMinutes }, { invalidates }) {
      const isLive = await limitSession(database, sessionId, { idleMinutes, maxMinutes });
      // The limits of a session have no event.
      invalidates.add(`credential:${sessionId}`);
      if (!isLive) throw unauthenticated();
      return {};
    },

    async matchTrusts({ bot, claims: text }) {
      const claims = JSON.parse(text) as Record<string, unknown>;
      const found = await findTrustsIn(database, bot, String(claims['iss']));
      if (!found) return {};
      const { tenant, active } = found;
      const trusts = active ? found.trusts.filter((trust) => matchesTrust(trust, claims)) : [];
      return {
        tenant,
        active,
        trusts: trusts.map(({ id, issuer, subject, jwks }) => ({ id, issuer, subject, jwks })),
      };
    },
  };
}

/** The bot of a key. From an address outside the key's list this is not a use of it. */
async function useKey(database: Database, key: LiveBotKey, ip: string) {
  if (key.stale && allowsNetwork(key, ip)) await touchBotKey(database, key);
  const { bot: id, id: credentialId, tenant, permissions: narrowedTo, allowedIps } = key;
  const expiresAt = timeOf(key.expiresAt);
  return { type: 'bot', id, credentialId, tenant, narrowedTo, allowedIps, expiresAt };
}

/**
 * The user of a support session. The operator must still be signed in and hold the permission, or
 * the session ends.
 * @throws unauthenticated
 */
async function supportOf(deps: Deps, hash: Uint8Array) {
  const session = await findSupportSession(deps.database, hash);
  if (!session) throw unauthenticated();
  const { operator, operator_session: operatorSession } = session;
  const found = await operatorOf(deps, { operator, operatorSession });
  if ('cause' in found) {
    await endSupport(deps, session, found.cause);
    throw unauthenticated();
  }
  const { own } = found;
  const ends = [session.expires_at, own.expires_at].map((time) => new Date(time).getTime());
  return {
    ...userOf(session),
    type: supportCaller,
    expiresAt: timestampFromMs(Math.min(...ends)),
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
