import type { Origin } from '@bailiwick/contract';
import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Statement, Transaction } from '@bailiwick/store';

/** The results of an app's sign-ins with a session: its sign-ins, for one tenant or several. */
export type SignIn = {
  tenant: string;
  app: string;
  sessionId: string;
  userId: string;
  place: string;
};

const ofSession: Statement<{ place: string }, [tenant: string, app: string, sessionId: string]> = {
  name: 'sso.app_sign_in',
  text: 'select place from app_sign_in where tenant = $1 and app = $2 and session_id = $3 order by signed_in_at desc limit 1',
};

/** The tenant that an app's latest sign-in of a session is for; '' = none. */
export async function findPlace(
  database: Database,
  tenant: string,
  app: string,
  sessionId: string,
): Promise<string> {
  const [row] = await database.query(ofSession, [tenant, app, sessionId]);
  return row?.place ?? '';
}

const exists: Statement<
  { one: number },
  [tenant: string, app: string, sessionId: string, place: string, userId: string]
> = {
  name: 'sso.app_sign_in_exists',
  text: 'select 1 as one from app_sign_in where tenant = $1 and app = $2 and session_id = $3 and place = $4 and user_id = $5',
};

/** Whether a sign-in to an app has neither ended nor been withdrawn. */
export const hasSignIn = async (
  database: Database,
  { tenant, app, sessionId, place, userId }: SignIn,
): Promise<boolean> =>
  (await database.query(exists, [tenant, app, sessionId, place, userId])).length > 0;

const consentOf: Statement<{ scopes: string[] }, [tenant: string, app: string, userId: string]> = {
  name: 'sso.app_consent',
  text: 'select scopes from app_consent where tenant = $1 and app = $2 and user_id = $3 and expires_at > now()',
};

/** An app and a person. */
export type Use = { tenant: string; app: string; userId: string };

/** The scopes that a person has consented to. */
export async function findConsent(
  database: Database,
  { tenant, app, userId }: Use,
): Promise<string[]> {
  const [row] = await database.query(consentOf, [tenant, app, userId]);
  return row?.scopes ?? [];
}

// Expired scopes are not carried on.
const consent: Statement<
  never,
  [tenant: string, app: string, userId: string, scopes: readonly string[]]
> = {
  name: 'sso.consent_to_app',
  text: `insert into app_consent as c (tenant, app, user_id, scopes, consented_at, expires_at)
         values ($1, $2, $3, $4::text[], now(), now() + interval '1 year')
         on conflict (tenant, app, user_id) do update set consented_at = now(), expires_at = excluded.expires_at,
           scopes = case when c.expires_at <= now() then excluded.scopes
             else array(select distinct unnest(c.scopes || excluded.scopes) order by 1) end`,
};

export async function addConsent(
  database: Database,
  call: Origin,
  { tenant, app, userId }: Use,
  scopes: readonly string[],
): Promise<void> {
  await database.write(call, consent, [tenant, app, userId, scopes]);
}

/** Removes a person's consent. Returns whether there was one. */
export async function removeConsent(
  tx: Transaction,
  { tenant, app, userId }: Use,
): Promise<boolean> {
  const rows = await tx.query(
    'delete from app_consent where tenant = $1 and app = $2 and user_id = $3 returning 1',
    [tenant, app, userId],
  );
  return rows.length > 0;
}

const consentsOfUser: Statement<never, [userId: string, before: Date | null]> = {
  name: 'sso.remove_consents_of_user',
  text: `delete from app_consent where user_id = $1 and consented_at < coalesce($2::timestamptz, 'infinity')`,
  across: 'deletes the consents of a deleted or locked user in all tenants',
};

/** Removes the consents of a deleted or locked user: all of them, or those from before a time. */
export async function removeConsentsOfUser(
  tx: Transaction,
  userId: string,
  before: Date | null,
): Promise<void> {
  await tx.query(consentsOfUser, [userId, before]);
}

/** Removes the consents to a deleted app. */
export async function removeConsentsTo(
  tx: Transaction,
  tenant: string,
  app: string,
): Promise<void> {
  await tx.query('delete from app_consent where tenant = $1 and app = $2', [tenant, app]);
}

const returningColumns =
  'returning tenant, app, session_id as "sessionId", user_id as "userId", place';

/** Removes the sign-ins of a person to an app. */
export const takeOfUse = (tx: Transaction, { tenant, app, userId }: Use): Promise<SignIn[]> =>
  tx.query<SignIn>(
    `delete from app_sign_in where tenant = $1 and app = $2 and user_id = $3 ${returningColumns}`,
    [tenant, app, userId],
  );

/** Removes sign-ins to an app, those of a session together if it can. `limit`: null = all. */
export const takeOfApp = (
  tx: Transaction,
  tenant: string,
  app: string,
  limit: number | null,
): Promise<SignIn[]> =>
  tx.query<SignIn>(
    `delete from app_sign_in where tenant = $1 and ctid = any (array (
       select ctid from app_sign_in where tenant = $1 and app = $2 order by session_id limit $3 for update))
     ${returningColumns}`,
    [tenant, app, limit],
  );

const signInsOfUser: Statement<SignIn, [userId: string, before: Date | null]> = {
  name: 'sso.take_sign_ins_of_user',
  text: `delete from app_sign_in where user_id = $1 and signed_in_at < coalesce($2::timestamptz, 'infinity') ${returningColumns}`,
  across: 'ends the sign-ins of a locked user to apps of all tenants',
};

/** Removes the sign-ins of a user: all of them, or those from before a time. */
export const takeOfUser = (
  tx: Transaction,
  userId: string,
  before: Date | null,
): Promise<SignIn[]> => tx.query(signInsOfUser, [userId, before]);

const signInsOfSessions: Statement<SignIn, [sessionIds: readonly string[]]> = {
  name: 'sso.take_sign_ins_of_sessions',
  text: `delete from app_sign_in where ctid = any (array (
       select ctid from app_sign_in where session_id = any ($1) for update skip locked)) ${returningColumns}`,
  between: 'ends the sign-ins of a session to apps of all tenants',
};

/** Removes the sign-ins of sessions, without those that another process is about to remove. */
export const takeOfSessions = (tx: Transaction, sessionIds: readonly string[]): Promise<SignIn[]> =>
  tx.query(signInsOfSessions, [sessionIds]);

const signInsOfMember: Statement<SignIn, [place: string, userId: string]> = {
  name: 'sso.take_sign_ins_of_member',
  text: `delete from app_sign_in where place = $1 and user_id = $2 ${returningColumns}`,
  across: 'ends the sign-ins for a tenant, also to apps of the platform',
};

/** Removes the sign-ins of a person that are for a tenant. */
export const takeOfMember = (tx: Transaction, place: string, userId: string): Promise<SignIn[]> =>
  tx.query(signInsOfMember, [place, userId]);

const sessions: Statement<{ id: string }, [after: string, limit: number]> = {
  name: 'sso.signed_in_sessions',
  text: 'select distinct session_id as id from app_sign_in where session_id > $1 order by session_id limit $2',
  across: 'the check of sessions covers all tenants',
};

/** The next sessions with sign-ins to apps, in the order of their ids. */
export async function listSessions(
  database: Database,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(sessions, [after, limit]);
  return rows.map(({ id }) => id);
}

const sessionsOf: Statement<
  { id: string },
  [sessionIds: readonly string[], userIds: readonly string[]]
> = {
  name: 'sso.signed_in_sessions_of',
  text: 'select distinct session_id as id from app_sign_in where session_id = any ($1) or user_id = any ($2)',
  across: 'returns sessions of a user, and no tenant data',
};

/** Those of the sessions, and of the users' sessions, that have sign-ins to apps. */
export async function listSessionsOf(
  database: Database,
  sessionIds: readonly string[],
  userIds: readonly string[],
): Promise<string[]> {
  const rows = await database.query(sessionsOf, [sessionIds, userIds]);
  return rows.map(({ id }) => id);
}

/** Removes the codes and tokens of sign-ins, and all that came from the same grants. */
export async function removeTokens(tx: Transaction, hashes: readonly string[]): Promise<void> {
  await tx.query(
    `delete from issuer_record where tenant = '' and (uid_hash = any ($1) or grant_hash in (
       select grant_hash from issuer_record where tenant = '' and uid_hash = any ($1) and grant_hash <> ''))`,
    [hashes],
  );
}

export type ListedApp = {
  id: string;
  name: string;
  tenant: string;
  scopes: string[] | null;
  places: string[] | null;
  consentedAt: string | null;
  signedInAt: string | null;
};

const list: Statement<ListedApp, [userId: string, after: string, limit: number]> = {
  name: 'sso.apps_of_user',
  text: `select a.id, a.name, a.tenant, array_agg(distinct s.scope) filter (where s.scope is not null) as scopes,
           array_agg(distinct u.place) filter (where u.place <> '') as places,
           max(u.consented_at) as "consentedAt", max(u.signed_in_at) as "signedInAt"
         from (
           select tenant, app, scopes, consented_at, null::timestamptz as signed_in_at, '' as place
           from app_consent where user_id = $1 and expires_at > now()
           union all
           select tenant, app, scopes, null, signed_in_at, place from app_sign_in where user_id = $1
         ) u join app a on a.tenant = u.tenant and a.id = u.app
         left join lateral unnest(u.scopes) as s (scope) on true
         where a.id > $2 group by a.tenant, a.id order by a.id limit $3`,
  across: "lists the apps of all tenants that the user's own account uses",
};

/** A page of the apps that a person uses or has consented to, plus one row if there are more. */
export const listAppsOfUser = (
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
): Promise<ListedApp[]> => database.query(list, [userId, after, limit]);

const sweep: Statement<never, []> = {
  name: 'sso.sweep_app_consents',
  text: 'delete from app_consent where expires_at <= now()',
  across: 'the sweeper covers all tenants',
};

export async function sweepConsents(database: Database, call: Origin): Promise<void> {
  await database.write(call, sweep, []);
}
