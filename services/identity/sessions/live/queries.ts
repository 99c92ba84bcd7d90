import { type Origin, platformPlace, type SessionProof } from '@bailiwick/contract';
import { type Database, msUntil, type Statement } from '@bailiwick/store';
import { supportHash } from '../support/queries.ts';

/** Whether a session ("s") has not ended. */
export const isLive =
  "s.expires_at > now() and s.last_seen_at > now() - s.idle_minutes * interval '1 minute'";

/** When a session (s) ends without a call. */
const idleEnd = "s.last_seen_at + s.idle_minutes * interval '1 minute'";

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

/**
 * How often a use of a session (s) is written at least, in ms: at most once a minute, so that a busy
 * client does not cause a write per call, and six times within its idle limit.
 */
const useMs = 'least(60000, s.idle_minutes * 10000)';

const liveSession = `select s.id, s.user_id, u.email, u.mailbox_proven, ${providerPlace} as sso_place, s.created_at, s.proven_at, s.last_seen_at, s.expires_at, s.idle_minutes, s.assurance,
           array_prepend(s.auth_method, s.further_methods) as auth_methods,
           ${ownAssurance} as own_assurance,
           ${limitedTo} as limited_to, ${voucher} as voucher, s.operator, s.operator_session,
           ${msUntil('s.expires_at')} as expires_in_ms, ${msUntil(idleEnd)} as idle_in_ms,
           ${msUntil('s.last_seen_at')} + ${useMs} as use_due_in_ms, ${useMs} as use_every_ms
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
const touched: Statement<{ id: string }, [id: string]> = {
  name: 'identity.touch_session',
  text: `update session s set last_seen_at = now() where id = $1 returning id`,
};

// A locked session is ending, or another report writes a use of it. A use does not revive a session
// that had ended by then.
const recordUses: Statement<never, [ids: readonly string[], agoMs: readonly number[]]> = {
  name: 'identity.record_session_uses',
  text: `with used as (
           select s.id, u.at
           from (select id, now() - min(ago) * interval '1 ms' as at from unnest($1::text[], $2::int[]) as u (id, ago) group by id) u
             join session s on s.id = u.id
           where u.at > s.last_seen_at and u.at < ${idleEnd} and s.operator = ''
           for no key update of s skip locked
         )
         update session s set last_seen_at = used.at from used where s.id = used.id`,
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
  mailbox_proven: boolean;
  /** The times until the session expires, until it ends without a call, and until a call is written. */
  expires_in_ms: number;
  idle_in_ms: number;
  use_due_in_ms: number;
  /** How often a call is written. */
  use_every_ms: number;
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
  return touch && session ? writeUse(database, touch, session) : session;
}

/** Writes a use of the session if it is due. */
async function writeUse(
  database: Database,
  call: Origin,
  session: LiveSession,
): Promise<LiveSession> {
  if (session.use_due_in_ms > 0) return session;
  const [row] = await database.write(call, touched, [session.id]);
  if (!row) return { ...session, use_due_in_ms: 0, idle_in_ms: 0 };
  const idleMs = session.idle_minutes * 60_000;
  return { ...session, use_due_in_ms: session.use_every_ms, idle_in_ms: idleMs };
}

/** Records uses of sessions; `agoMs`: how long ago each was. */
export async function recordSessionUses(
  database: Database,
  call: Origin,
  uses: ReadonlyArray<{ id: string; agoMs: number }>,
): Promise<void> {
  if (uses.length === 0) return;
  await database.write(call, recordUses, [
    uses.map(({ id }) => id),
    uses.map(({ agoMs }) => agoMs),
  ]);
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
  return touch && session ? writeUse(database, touch, session) : session;
}

/** Those of the sessions that are live, and whose users may sign in. */
export async function findLiveSessionIds(
  database: Database,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.query(liveIds, [ids]);
  return rows.map(({ id }) => id);
}
