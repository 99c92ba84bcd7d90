import { type Database, type EntityManager, execute, type Statement } from '@bailiwick/shared/orm.ts';

/** A session ends after this long without a call. */
const idle = "interval '7 days'";

const live: Statement = {
  name: 'identity.live_session',
  text: `select s.id, s.user_id, u.email, s.last_seen_at < now() - interval '1 minute' as stale
         from session s join user_account u on u.id = s.user_id
         where s.token_hash = $1 and s.expires_at > now() and s.last_seen_at > now() - ${idle} and u.status = 'active' and u.email_verified`,
};
const touch: Statement = { name: 'identity.touch_session', text: 'update session set last_seen_at = now() where id = $1' };

export type LiveSession = { id: string; user_id: string; email: string; stale: boolean };

/** The session of a token, if it has not ended and its person may sign in. */
export async function findLiveSession(database: Database, tokenHash: Uint8Array): Promise<LiveSession | undefined> {
  const [session] = await database.query<LiveSession>(live, [tokenHash]);
  // Written at most once a minute, so that a busy client costs no write a call.
  if (session?.stale) await database.query(touch, [session.id]);
  return session;
}

/** Ends all sessions of a user. */
export async function endSessions(em: EntityManager, userId: string): Promise<void> {
  await execute(em, 'delete from session where user_id = $1', [userId]);
}
