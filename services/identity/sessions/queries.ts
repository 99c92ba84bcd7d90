import { type Database, type EntityManager, execute, type Statement } from '@bailiwick/shared/orm.ts';
import type { PageQuery } from '@bailiwick/shared/page.ts';
import { voidCodes } from '../federation/queries.ts';
import type { SessionRow } from './entities.ts';

/** A session ends after this long without a call. */
const idle = "interval '7 days'";

const live: Statement = {
  name: 'identity.live_session',
  text: `select s.id, s.user_id, u.email, s.sso_tenant, s.expires_at, s.last_seen_at < now() - interval '1 minute' as stale
         from session s join user_account u on u.id = s.user_id
         where s.token_hash = $1 and s.expires_at > now() and s.last_seen_at > now() - ${idle} and u.status = 'active' and u.email_verified`,
};
const touch: Statement = { name: 'identity.touch_session', text: 'update session set last_seen_at = now() where id = $1' };

export type LiveSession = { id: string; user_id: string; email: string; sso_tenant: string; expires_at: string; stale: boolean };

/** The session of a token, if it has not ended and its person may sign in. */
export async function findLiveSession(database: Database, tokenHash: Uint8Array, { touch: touching = true } = {}): Promise<LiveSession | undefined> {
  const [session] = await database.query<LiveSession>(live, [tokenHash]);
  // Written at most once a minute, so that a busy client costs no write a call.
  if (touching && session?.stale) await database.query(touch, [session.id]);
  return session;
}

const list: Statement = {
  name: 'identity.list_sessions',
  text: `select id, user_id, auth_method, provider, ip, user_agent, created_at, last_seen_at, expires_at from session
         where user_id = $1 and id > $2 and expires_at > now() and last_seen_at > now() - ${idle} order by id limit $3`,
};

type Row = Record<'id' | 'user_id' | 'auth_method' | 'provider' | 'ip' | 'user_agent' | 'created_at' | 'last_seen_at' | 'expires_at', string>;

/** A page of a user's sessions that have not ended, and one row more where there are more. */
export async function listSessions(
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
): Promise<Array<Omit<SessionRow, 'tokenHash' | 'ssoTenant'>>> {
  const rows = await database.query<Row>(list, [userId, after, limit + 1]);
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    authMethod: row.auth_method,
    provider: row.provider,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: new Date(row.created_at),
    lastSeenAt: new Date(row.last_seen_at),
    expiresAt: new Date(row.expires_at),
  }));
}

/** Ends all sessions of a user, and those that are not begun yet. */
export async function endSessions(em: EntityManager, userId: string): Promise<void> {
  await voidCodes(em, userId);
  await execute(em, 'delete from session where user_id = $1', [userId]);
}

/** The same, but for one. */
export async function endOtherSessions(em: EntityManager, userId: string, keptId: string): Promise<void> {
  await voidCodes(em, userId);
  await execute(em, 'delete from session where user_id = $1 and id <> $2', [userId, keptId]);
}
