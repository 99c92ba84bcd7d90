import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { SignIn } from '../queries.ts';

/** The longest lifetime of an access token that an app may have. */
export const maxTokenSeconds = 3600;

/** No access token outlives the settings or the sign-in that it comes from by this much. */
const tokenMinutes = 65;
export const tokensMs = tokenMinutes * 60_000;

/** An app that is signed out. `isNotified`: it is active and has an address for it. */
export type SignedOutApp = {
  tenant: string;
  id: string;
  name: string;
  isNotified: boolean;
  tokenSeconds: number;
};

// A token of a lifetime that an update has shortened may still be valid.
const apps: Statement<SignedOutApp, [apps: readonly string[]]> = {
  name: 'sso.signed_out_apps',
  text: `select tenant, id, name, active and backchannel_logout_uri <> '' as "isNotified",
           case when updated_at > now() - interval '${tokenMinutes} minutes' then ${maxTokenSeconds}
             else token_lifetime_seconds end as "tokenSeconds"
         from app where id = any ($1)`,
  across: 'the apps that a session has signed in to',
};

/** Those of the apps that exist. */
export const listSignedOutApps = (
  tx: Transaction,
  ids: readonly string[],
): Promise<SignedOutApp[]> => tx.query(apps, [ids]);

const insert: Statement<never, [rows: string]> = {
  name: 'sso.add_app_sign_outs',
  text: `insert into app_sign_out (id, tenant, app, name, user_id, session_id, token_seconds, state, status_code,
           message, ended_at, in_receipt)
         select id, tenant, app, name, user_id, session_id, token_seconds, state, 0, '', now(), false
         from jsonb_to_recordset($1::jsonb) as r (id text, tenant text, app text, name text, user_id text,
           session_id text, token_seconds int, state text)`,
};

/** The end of a sign-in, with the id of its task. */
export type NewSignOut = { id: string; app: SignedOutApp; signIn: SignIn };

export async function addSignOuts(tx: Transaction, signOuts: readonly NewSignOut[]): Promise<void> {
  if (signOuts.length === 0) return;
  const rows = signOuts.map(({ id, app, signIn }) => ({
    id,
    tenant: app.tenant,
    app: app.id,
    name: app.name,
    user_id: signIn.userId,
    session_id: signIn.sessionId,
    token_seconds: app.tokenSeconds,
    state: app.isNotified ? 'waiting' : 'not_notified',
  }));
  await tx.query(insert, [JSON.stringify(rows)]);
}

export type SignOutRow = {
  id: string;
  tenant: string;
  app: string;
  name: string;
  sessionId: string;
  tokenSeconds: number;
  state: string;
  statusCode: number;
  message: string;
  endedAt: string;
  reportedAt: string | null;
};

const columns = `id, tenant, app, name, session_id as "sessionId", token_seconds as "tokenSeconds", state,
  status_code as "statusCode", message, ended_at as "endedAt", reported_at as "reportedAt"`;

const claim: Statement<SignOutRow, [userId: string, since: Date]> = {
  name: 'sso.claim_app_sign_outs',
  text: `update app_sign_out set in_receipt = true where user_id = $1 and ended_at >= $2 returning ${columns}`,
  across: 'the receipt of a lock has the apps of all tenants',
};

/** The sign-outs of a user since a time, which are kept for the receipt from now on. */
export const claimSignOuts = (
  tx: Transaction,
  userId: string,
  since: Date,
): Promise<SignOutRow[]> => tx.query(claim, [userId, since]);

const byIds: Statement<SignOutRow, [ids: readonly string[]]> = {
  name: 'sso.app_sign_outs',
  text: `select ${columns} from app_sign_out where id = any ($1)`,
  across: 'the receipt of a lock has the apps of all tenants',
};

export const findSignOuts = (database: Database, ids: readonly string[]): Promise<SignOutRow[]> =>
  database.query(byIds, [ids]);

// An attempt that is repeated may be reported after the one that the app has accepted.
const report: Statement<never, [id: string, state: string, statusCode: number, message: string]> = {
  name: 'sso.report_app_sign_out',
  text: `update app_sign_out set state = $2, status_code = $3, message = $4, reported_at = now()
         where id = $1 and state in ('waiting', 'retry')`,
  across: 'notifications names the task, which is of one app',
};

export type SignOutReport = { id: string; state: string; statusCode: number; message: string };

export async function reportSignOut(
  database: Database,
  call: Origin,
  { id, state, statusCode, message }: SignOutReport,
): Promise<void> {
  await database.write(call, report, [id, state, statusCode, message]);
}

const appsOfMaker: Statement<{ id: string; tenant: string; name: string }, [userId: string]> = {
  name: 'sso.apps_of_maker',
  text: 'select id, tenant, name from app where created_by = $1 order by id limit 1000',
  across: 'the receipt of a lock names the apps that the user made in all tenants',
};

/** The apps that a user made, at most 1,000. */
export const listAppsOfMaker = (tx: Transaction, userId: string) => tx.query(appsOfMaker, [userId]);

// No access token of a sign-in is valid any more, and no receipt changes after 30 days.
const sweep: Statement<{ id: string }, [batch: number]> = {
  name: 'sso.sweep_app_sign_outs',
  text: `delete from app_sign_out where id in (
           select id from app_sign_out where ended_at < now() - interval '${tokenMinutes} minutes'
             and (not in_receipt or ended_at < now() - interval '30 days')
           order by ended_at limit $1 for update skip locked)
         returning id`,
  across: 'the sweeper covers all tenants',
};

const batch = 1000;

/** Deletes old sign-outs, in batches: the database cancels long statements. */
export async function sweepSignOuts(
  database: Database,
  call: Origin,
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped() && (await database.write(call, sweep, [batch])).length === batch);
}
