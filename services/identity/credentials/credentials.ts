import { timingSafeEqual } from 'node:crypto';
import { type Database } from '@bailiwick/database';
import { unauthenticated } from '@bailiwick/errors';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Tokens } from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { type Handlers } from '@bailiwick/rpc';
import { createNetworks, timeOf, tokenHash, tokenKind } from '@bailiwick/values';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { findLiveBotKey, type LiveBotKey, touchBotKey } from '../bot-keys/queries.ts';
import { findLiveSession, limitSession } from '../sessions/queries.ts';
import type { Installed } from './installed.ts';

type Deps = {
  database: Database;
  authority: Client<typeof Authority>;
  admission: Pick<Client<typeof Admission>, 'isOpen'>;
  installed: Installed;
};

/**
 * Resolves the hash of a token for the gateway. Two tokens are installed with the service, the
 * others are stored.
 */
export function credentialsHandlers({ database, installed }: Deps): Handlers<typeof Credentials> {
  return {
    async resolve({ tokenHash: hash, ip }) {
      const match = installed.find(
        (candidate) =>
          candidate.hash.length === hash.length && timingSafeEqual(candidate.hash, hash),
      );
      if (match) return match.principal;
      const session = await findLiveSession(database, hash);
      if (session) {
        const {
          id: credentialId,
          user_id: id,
          email,
          sso_tenant: ssoTenant,
          limited_to: limitedTo,
          idle_minutes: idleMinutes,
        } = session;
        const times = {
          signedInAt: timeOf(session.created_at),
          expiresAt: timeOf(session.expires_at),
          idleMinutes,
        };
        return { type: 'user', id, credentialId, email, ssoTenant, limitedTo, ...times };
      }
      const key = await findLiveBotKey(database, hash);
      if (!key) throw unauthenticated();
      // From an address outside its list, the gateway refuses the key, so this is not a use of it.
      if (key.stale && allowsNetwork(key, ip)) await touchBotKey(database, key);
      const { bot: id, id: credentialId, tenant, permissions: narrowedTo, allowedIps } = key;
      return {
        type: 'bot',
        id,
        credentialId,
        tenant,
        narrowedTo,
        allowedIps,
        expiresAt: timeOf(key.expiresAt),
      };
    },

    async limitSession({ sessionId, idleMinutes, maxMinutes }, { invalidates }) {
      const isLive = await limitSession(database, sessionId, { idleMinutes, maxMinutes });
      invalidates.add(`credential:${sessionId}`);
      if (!isLive) throw unauthenticated();
      return {};
    },
  };
}

const minutesAfter = (text: string, minutes: number) =>
  new Date(new Date(text).getTime() + minutes * 60_000);

const earlier = (one: Date, other: Date) => (one < other ? one : other);

const allowsNetwork = ({ allowedIps }: LiveBotKey, ip: string): boolean =>
  allowedIps.length === 0 || createNetworks(allowedIps)(ip);

/**
 * Introspection for the platform's own services. A token whose user or bot is not in the tenant in
 * question is inactive, like an unknown one. Introspection does not extend a session.
 */
export function tokensHandlers({ database, authority, admission }: Deps): Handlers<typeof Tokens> {
  async function aboutSession(token: string, tenant: string) {
    const session = await findLiveSession(database, tokenHash(token), { touch: false });
    if (!session) return {};
    const { limited_to: limitedTo } = session;
    const about = {
      active: true,
      type: 'session',
      id: session.id,
      userId: session.user_id,
      tenant: limitedTo,
    };
    const expiresAt = new Date(session.expires_at);
    if (tenant === '') return { ...about, expiresAt: timestampFromDate(expiresAt) };
    if (limitedTo !== '' && limitedTo !== tenant) return {};
    const principal = {
      principalType: 'user',
      principalId: session.user_id,
      ssoTenant: session.sso_tenant,
      limitedTo,
    };
    const [{ tenants }, wanted] = await Promise.all([
      authority.listUserTenants({ userId: session.user_id }),
      authority.effective({ ...principal, tenant }),
    ]);
    // A session is also inactive if the tenant requires SSO and the session did not come from its
    // provider, or if it is older than the tenant's limit.
    if (wanted.ssoRequired || !tenants.some(({ id }) => id === tenant)) return {};
    const { sessionIdleMinutes: idle, sessionMaxMinutes: max } = wanted;
    const idleEnd = idle > 0 ? minutesAfter(session.last_seen_at, idle) : expiresAt;
    const end = max > 0 ? earlier(expiresAt, minutesAfter(session.created_at, max)) : expiresAt;
    if (earlier(idleEnd, end).getTime() <= Date.now()) return {};
    return { ...about, expiresAt: timestampFromDate(end) };
  }

  async function aboutBotKey(token: string, tenant: string, ip: string) {
    const key = await findLiveBotKey(database, tokenHash(token));
    if (!key || (tenant !== '' && tenant !== key.tenant) || !allowsNetwork(key, ip)) return {};
    // Bots of a suspended tenant have no rights anywhere.
    if (!(await admission.isOpen({ tenant: key.tenant })).open) return {};
    const { id, bot, permissions } = key;
    return {
      active: true,
      type: 'bot_key',
      id,
      bot,
      tenant: key.tenant,
      permissions,
      expiresAt: timeOf(key.expiresAt),
    };
  }

  return {
    async introspect({ token, tenant, ip }) {
      const kind = tokenKind(token);
      if (kind === 'session') return aboutSession(token, tenant);
      return kind === 'botKey' ? aboutBotKey(token, tenant, ip) : {};
    },
  };
}
