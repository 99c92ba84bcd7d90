import type { Origin } from '@bailiwick/contract';
import { type changeRow, recordRevocation } from '@bailiwick/outbox';
import type { Database, Run, Statement, Transaction } from '@bailiwick/store';
import type { UserRow } from '../users/entities.ts';
import type { SessionOrigin } from './entities.ts';
import { isLive, limitedTo } from './live/queries.ts';
import { type EndedSession, returningEnded } from './support/queries.ts';
import { recordSupportEnds, signedOut } from './support/records.ts';

// The user is locked and compared first: all that follows happens for that row only. A limited session
// proves less than the password: its provider must not clear the count of failed passwords. The log of
// revocations brings the new last_login_at to the caches of accounts, and the reply does not wait.
const begin: Statement<
  { limited_to: string },
  [
    lastSeenAt: Date,
    userId: string,
    updatedAt: Date,
    passwordHash: UserRow['passwordHash'],
    sessionId: string,
    tokenHash: Uint8Array,
    authMethod: string,
    provider: string,
    ssoTenant: string,
    ip: string,
    userAgent: string,
    expiresAt: Date,
    network: string,
    outboxId: string,
    forTenant: string,
    type: string,
    event: string | null,
    audit: string,
    traceparent: string,
    createdAt: Date,
    idleMinutes: number,
    takenFrom: string,
    furtherMethods: readonly string[],
    assurance: string,
    provenAt: Date | null,
    own: string,
    unconfirmed: boolean,
  ]
> = {
  name: 'identity.begin_session',
  text: `with signed_in as (
           update user_account set last_login_at = $1
           where id = $2 and status = 'active' and updated_at = $3 and password_hash is not distinct from $4
           returning id, email_key
         ), opened as (
           insert into session (id, user_id, token_hash, auth_method, provider, sso_tenant, ip, user_agent, created_at, last_seen_at, expires_at, idle_minutes, taken_from, further_methods, assurance, proven_at, own_assurance, unconfirmed)
           select $5, id, $6::bytea, $7, $8, $9, $10, $11, $20::timestamptz, $1, $12::timestamptz, $21::int, $22, $23::text[], $24, $25::timestamptz, $26, $27 from signed_in
           returning user_id, sso_tenant, provider, unconfirmed
         ), recorded as (
           insert into outbox (id, for_tenant, type, event, audit, tasks, traceparent, created_at)
           select $14, $15, $16, $17, $18, '[]', $19, $1 from signed_in
         ), revoked as (
           insert into revocation as r (keys) select array['account:' || id] from signed_in
           on conflict (txid) do update set keys = r.keys || excluded.keys, created_at = excluded.created_at
         ), begun as (
           select u.email_key, ${limitedTo} as limited_to from opened s join signed_in u on u.id = s.user_id
         ), known as (
           insert into known_network (email_key, network, last_success_at)
           select email_key, $13, now() from begun where $13 <> '' and limited_to = ''
           on conflict (email_key, network) do update set last_success_at = now()
           returning email_key, xmax = 0 as is_new
         ), cleared as (
           delete from login_failure f using known k
           where f.email_key = k.email_key and f.network = case when k.is_new then '' else $13 end
         )
         select limited_to from begun`,
  across: 'the session names the tenant of the link that opened it',
};

/** A session to begin: its user as it was read, and the outbox row of the sign-in. */
export type NewSessionRow = {
  user: Pick<UserRow, 'id' | 'updatedAt' | 'passwordHash'>;
  session: Omit<SessionOrigin, 'takenOn'> & {
    id: string;
    tokenHash: Uint8Array;
    createdAt: Date;
    provenAt: Date | null;
    lastSeenAt: Date;
    expiresAt: Date;
    idleMinutes: number;
    takenFrom: string;
  };
  recorded: ReturnType<typeof changeRow>;
  /** The network whose failed passwords are no longer counted; '' = none. */
  network: string;
};

/**
 * Stores a session and its event, if the user is active and has not changed since it was read; else
 * undefined. Its network becomes a known one, and the failures counted with it are cleared.
 */
export async function storeSession(
  run: Run,
  { user, session, recorded, network }: NewSessionRow,
): Promise<{ limitedTo: string } | undefined> {
  const { authMethod, furtherMethods, assurance, provider, ssoTenant, ip, userAgent } = session;
  const { ownAssurance: own = '' } = session;
  const [row] = await run(begin, [
    session.lastSeenAt,
    user.id,
    user.updatedAt,
    user.passwordHash,
    session.id,
    session.tokenHash,
    authMethod,
    provider,
    ssoTenant,
    ip,
    userAgent,
    session.expiresAt,
    network,
    recorded.id,
    recorded.forTenant,
    recorded.type,
    recorded.event,
    recorded.audit,
    recorded.traceparent,
    session.createdAt,
    session.idleMinutes,
    session.takenFrom,
    furtherMethods,
    assurance,
    session.provenAt,
    own,
    session.unconfirmed ?? false,
  ]);
  return row && { limitedTo: row.limited_to };
}

const limit: Statement<{ live: boolean }, [id: string, idleMinutes: number, maxMinutes: number]> = {
  name: 'identity.limit_session',
  // least() ignores nulls, so 0 leaves the stored limit unchanged.
  text: `update session s set idle_minutes = least(idle_minutes, nullif($2::int, 0)),
           expires_at = least(expires_at, created_at + nullif($3::int, 0) * interval '1 minute')
         where id = $1 returning ${isLive} as live`,
};

type Limits = { idleMinutes: number; maxMinutes: number };

/**
 * Limits a session to this time without a call and since the sign-in (0 = unchanged), if that is
 * sooner. Returns whether it is still live.
 */
export async function limitSession(
  database: Database,
  call: Origin,
  id: string,
  { idleMinutes, maxMinutes }: Limits,
): Promise<boolean> {
  return database.transaction({ call, tenant: null }, async (tx) => {
    // The limits of a session have no event.
    recordRevocation(tx, [`credential:${id}`]);
    const [session] = await tx.query(limit, [id, idleMinutes, maxMinutes]);
    return session?.live ?? false;
  });
}

/**
 * Ends a session of a user, those that take it on, and the support session that the user opened in
 * it as an operator.
 */
export async function deleteSession(
  tx: Transaction,
  userId: string,
  id: string,
): Promise<EndedSession[]> {
  return tx.query<EndedSession>(
    `delete from session where user_id = $1 and (id = $2 or taken_from = $2)
       or operator <> '' and operator = $1 and operator_session = $2
       ${returningEnded}`,
    [userId, id],
  );
}

/** Ends all sessions of a user, including those that a code could still open. */
export const endSessions = (tx: Transaction, userId: string): Promise<void> =>
  endOtherSessions(tx, userId, '');

/** Like endSessions, but keeps one session ('' = none), and the support session opened in it. */
export async function endOtherSessions(
  tx: Transaction,
  userId: string,
  keptId: string,
): Promise<void> {
  await voidCodes(tx, userId);
  const ended = await tx.query<EndedSession>(
    `delete from session where user_id = $1 and id <> $2
       or operator <> '' and operator = $1 and operator_session <> $2
       ${returningEnded}`,
    [userId, keptId],
  );
  await recordSupportEnds(tx, ended, signedOut(userId));
}

/**
 * Voids all codes and challenges of a user. Ending all sessions includes those that they could
 * still open. Returns whether there were any.
 */
export async function voidCodes(tx: Transaction, userId: string): Promise<boolean> {
  const challenges = await voidChallenges(tx, userId);
  const codes = await tx.query('delete from sign_in_code where user_id = $1 returning 1', [userId]);
  const mailed = await tx.query('delete from mailed_code where user_id = $1 returning 1', [userId]);
  return challenges + codes.length + mailed.length > 0;
}

/** Voids the sign-ins of a user that wait for a second factor. Returns how many. */
export async function voidChallenges(tx: Transaction, userId: string): Promise<number> {
  const text = 'delete from login_challenge where user_id = $1 returning 1';
  return (await tx.query(text, [userId])).length;
}
