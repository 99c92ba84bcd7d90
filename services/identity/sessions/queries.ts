import { type Origin, platformPlace, type SessionProof } from '@bailiwick/contract';
import type { changeRow } from '@bailiwick/outbox';
import type { Database, Run, Statement, Transaction } from '@bailiwick/store';
import type { UserRow } from '../users/entities.ts';
import type { SessionOrigin } from './entities.ts';
import { type EndedSession, returningEnded, supportHash } from './support/queries.ts';
import { recordSupportEnds, signedOut } from './support/records.ts';

/** Whether a session ("s") has not ended. */
export const isLive =
  "s.expires_at > now() and s.last_seen_at > now() - s.idle_minutes * interval '1 minute'";

/**
 * The tenant that a session (s) is limited to, '' = none: `isLimited` of its link
 * (federation/trust.ts). A session whose link was deleted is limited, and so is one that was opened
 * while its provider was not confirmed.
 */
export const limitedTo = `case when s.sso_tenant = '' or not s.unconfirmed and exists (
    select from identity_link l where l.tenant = s.sso_tenant and l.provider = s.provider and l.user_id = s.user_id
      and (l.trust = 'confirmed' or l.trust = 'domain' and not l.lapsed)
  ) then '' else s.sso_tenant end`;

/** The unconfirmed changes of a session's (s) provider. */
const changes =
  'from unconfirmed_provider v where v.tenant = s.sso_tenant and v.provider = s.provider';

/** Who answers for the provider of a session (s) that was opened under an unconfirmed change. */
const voucher = `case when s.unconfirmed then coalesce((select string_agg(v.voucher, chr(10) order by v.id) ${changes}), '') else '' end`;

/** Whether a session (s) has not outlived the unconfirmed change under which it was opened. */
const isConfirmed = `(not s.unconfirmed or exists (select ${changes}))`;

/** Where the provider of a session (s) belongs: its tenant, or `platformPlace` ($2); '' = none. */
const providerPlace = `case when s.sso_tenant = '' and s.provider <> '' then $2 else s.sso_tenant end`;

/** In a session (s) from a provider, the assurance by the user's own factors of ours; '' = none. */
const ownAssurance = `case when s.provider = '' then '' else s.own_assurance end`;

const liveSession = `select s.id, s.user_id, u.email, u.mailbox_proven, ${providerPlace} as sso_place, s.created_at, s.proven_at, s.last_seen_at, s.expires_at, s.idle_minutes, s.assurance,
           array_prepend(s.auth_method, s.further_methods) as auth_methods,
           ${ownAssurance} as own_assurance,
           ${limitedTo} as limited_to, ${voucher} as voucher, s.operator, s.operator_session,
           s.last_seen_at < now() - least(interval '1 minute', s.idle_minutes * interval '10 seconds') as stale
         from session s join user_account u on u.id = s.user_id
         where ${isLive} and ${isConfirmed} and u.status = 'active' and u.email_verified`;
const live: Statement<LiveSession, [tokenHash: Uint8Array, platformPlace: string]> = {
  name: 'identity.live_session',
  text: `${liveSession} and s.token_hash = $1 and s.operator = ''`,
  across: 'the session names the tenant of the link that opened it',
};
const liveById: Statement<LiveSession, [id: string, platformPlace: string]> = {
  name: 'identity.live_session_by_id',
  text: `${liveSession} and s.id = $1 and s.operator = ''`,
  across: 'the session names the tenant of the link that opened it',
};
const liveSupport: Statement<LiveSession, [tokenHash: Uint8Array, platformPlace: string]> = {
  name: 'identity.live_support_session',
  text: `${liveSession} and s.token_hash = $1 and s.operator <> ''`,
  across: 'a support session belongs to its user in all tenants',
};
const liveSupportById: Statement<LiveSession, [id: string, platformPlace: string]> = {
  name: 'identity.live_support_session_by_id',
  text: `${liveSession} and s.id = $1 and s.operator <> ''`,
  across: 'a support session belongs to its user in all tenants',
};
const touched: Statement<never, [id: string]> = {
  name: 'identity.touch_session',
  text: 'update session set last_seen_at = now() where id = $1',
};

const liveIds: Statement<{ id: string }, [ids: readonly string[]]> = {
  name: 'identity.live_session_ids',
  text: `select s.id from session s join user_account u on u.id = s.user_id
         where s.id = any ($1) and s.operator = '' and ${isLive} and ${isConfirmed} and u.status = 'active' and u.email_verified`,
  across: 'the session names the tenant of its provider',
};

type Texts = Record<
  | 'id'
  | 'user_id'
  | 'email'
  | 'sso_place'
  | 'limited_to'
  | 'voucher'
  | 'created_at'
  | 'last_seen_at'
  | 'expires_at'
  | 'assurance'
  | 'own_assurance'
  | 'operator'
  | 'operator_session',
  string
>;

export type LiveSession = Texts & {
  /** The last proof of a factor after the sign-in. */
  proven_at: string | null;
  idle_minutes: number;
  auth_methods: string[];
  stale: boolean;
  mailbox_proven: boolean;
};

export const proofOf = (session: LiveSession): SessionProof => ({
  ssoTenant: session.sso_place,
  limitedTo: session.limited_to,
  assurance: session.assurance,
  ownAssurance: session.own_assurance,
  operator: session.operator,
  voucher: session.voucher,
});

/** The session of a token, if it is live and its user may sign in. */
export async function findLiveSession(
  database: Database,
  tokenHash: Uint8Array,
  { touch }: { touch?: Origin } = {},
): Promise<LiveSession | undefined> {
  const [session] = await database.query(live, [tokenHash, platformPlace]);
  // Written at most once a minute, so that a busy client does not cause a write per call.
  if (touch && session?.stale) await database.write(touch, touched, [session.id]);
  return session;
}

/**
 * The support session of a token. Its hash is stored hashed once more: a process of an earlier
 * version, which would take it for a session of the user's own, does not find it.
 */
export async function findSupportSession(
  database: Database,
  tokenHash: Uint8Array,
): Promise<LiveSession | undefined> {
  const [session] = await database.query(liveSupport, [supportHash(tokenHash), platformPlace]);
  return session;
}

/** The support session of an id. */
export async function findSupportSessionById(
  database: Database,
  id: string,
): Promise<LiveSession | undefined> {
  const [session] = await database.query(liveSupportById, [id, platformPlace]);
  return session;
}

/** A session that an application of its user goes on with. With `touch` this extends it, as a call does. */
export async function findLiveSessionById(
  database: Database,
  id: string,
  { touch }: { touch?: Origin | undefined } = {},
): Promise<LiveSession | undefined> {
  const [session] = await database.query(liveById, [id, platformPlace]);
  if (touch && session?.stale) await database.write(touch, touched, [session.id]);
  return session;
}

/** Those of the sessions that are live, and whose users may sign in. */
export async function findLiveSessionIds(
  database: Database,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.query(liveIds, [ids]);
  return rows.map(({ id }) => id);
}

// The user is locked and compared first: all that follows happens for that row only. A limited
// session proves less than the password: its provider must not clear the count of failed passwords.
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
  const [session] = await database.write(call, limit, [id, idleMinutes, maxMinutes]);
  return session?.live ?? false;
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
 * still open.
 */
export async function voidCodes(tx: Transaction, userId: string): Promise<void> {
  await voidChallenges(tx, userId);
  await tx.query('delete from sign_in_code where user_id = $1', [userId]);
  await tx.query('delete from mailed_code where user_id = $1', [userId]);
}

/** Voids the sign-ins of a user that wait for a second factor. */
export async function voidChallenges(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from login_challenge where user_id = $1', [userId]);
}
