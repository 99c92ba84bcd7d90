import type { Origin } from '@bailiwick/contract';
import type { Database, Statement } from '@bailiwick/store';

// The statements of the sweeper.

type Sweep = Statement<unknown, [limit: number]>;

/**
 * Deletes expired rows, table by table, at most `limit` rows each, so that a statement stays short.
 */
export const sweeps: readonly Sweep[] = [
  {
    name: 'identity.sweep_registrations',
    text: `delete from registration where ctid = any (array (select ctid from registration where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_reset_tokens',
    text: `delete from reset_token where ctid = any (array (select ctid from reset_token where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_email_changes',
    text: `delete from email_change where ctid = any (array (select ctid from email_change where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_sign_in_codes',
    text: `delete from sign_in_code where ctid = any (array (select ctid from sign_in_code where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_mailed_codes',
    text: `delete from mailed_code where ctid = any (array (select ctid from mailed_code where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_challenges',
    text: `delete from login_challenge where ctid = any (array (select ctid from login_challenge where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_unconfirmed_totp',
    text: `delete from totp_factor where tenant = '' and ctid = any (array (
             select ctid from totp_factor where tenant = '' and confirmed_at is null and created_at < now() - interval '1 hour' limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_used_challenges',
    text: `delete from used_challenge where ctid = any (array (select ctid from used_challenge where expires_at < now() - interval '1 hour' limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_pending_links',
    text: `delete from pending_link where ctid = any (array (select ctid from pending_link where expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_sessions',
    text: `delete from session where ctid = any (array (select ctid from session where operator = '' and expires_at < now() limit $1)) returning 1`,
  },
  {
    name: 'identity.sweep_lock_receipts',
    text: `with removal as (
             delete from lock_receipt where ctid = any (array (
               select ctid from lock_receipt r where locked_at < now() - interval '400 days'
                 and not exists (select from user_account u where u.id = r.subject and u.lock_receipt = r.id)
                 and (lifted_at is not null or not exists (select from bot b where b.id = r.subject and not b.active))
               limit $1)) returning id
           ), rows as (
             delete from lock_receipt_row where receipt in (select id from removal)
           )
           select 1 as one from removal`,
    between: 'a receipt has the apps of all tenants',
  },
  {
    name: 'identity.sweep_login_failures',
    text: `delete from login_failure where ctid = any (array (select ctid from login_failure where updated_at < now() - interval '30 days' limit $1)) returning 1`,
  },
];

/** The keys of the next rows of a table, and the condition of the rows up to the last of them. */
const slice = (rows: string, key: string) =>
  `slice as materialized (select distinct ${key} as key from ${rows} ${key} > $1 order by key limit $2::int)`;
const within = (key: string) => `${key} > $1 and ${key} <= (select max(key) from slice)`;
const unknownUsers =
  'array(select s.key from slice s where not exists (select from user_account u where u.id = s.key))';
const lastOfSlice = 'select max(key) as last, count(*)::int as size from slice';

/** The key of a row in this part of a table's blocks: keys are not spread evenly, blocks are. */
const keyIn = (table: string, key: string, condition: string) =>
  `select ${key} as key from ${table} where ${condition} ctid >= (
     select format('(%s,0)', floor($1::float8 * pg_relation_size('${table}') / current_setting('block_size')::int))::tid) limit 1`;

type SliceSweep = Statement<
  { last: string | null; size: number },
  [after: string, limit: number]
> & {
  start: Statement<{ key: string }, [part: number]>;
};

/**
 * Examines the next rows in the order of a key and deletes those that have ended, where no index
 * finds them: one would have to be written with each use of a session and each sign-in.
 */
export const sliceSweeps: readonly SliceSweep[] = [
  {
    name: 'identity.sweep_idle_sessions',
    text: `with ${slice('session where', 'id')}, removal as (
             delete from session where ${within('id')} and operator = '' and last_seen_at < now() - idle_minutes * interval '1 minute' returning 1)
           ${lastOfSlice}`,
    start: { name: 'identity.sweep_idle_sessions_start', text: keyIn('session', 'id', '') },
  },
  {
    name: 'identity.sweep_known_networks',
    text: `with ${slice('known_network where', 'email_key')}, removal as (
             delete from known_network where ${within('email_key')} and last_success_at < now() - interval '400 days' returning 1)
           ${lastOfSlice}`,
    start: {
      name: 'identity.sweep_known_networks_start',
      text: keyIn('known_network', 'email_key', ''),
    },
  },
  // A version without factors leaves those of a user that it deletes after a rollback.
  {
    name: 'identity.sweep_orphaned_passkeys',
    text: `with ${slice('passkey where', 'id')}, removal as (
             delete from passkey f where ${within('f.id')} and not exists (select from user_account u where u.id = f.user_id) returning 1)
           ${lastOfSlice}`,
    start: { name: 'identity.sweep_orphaned_passkeys_start', text: keyIn('passkey', 'id', '') },
  },
  {
    name: 'identity.sweep_orphaned_totp',
    text: `with ${slice("totp_factor where tenant = '' and", 'user_id')}, removal as (
             delete from totp_factor f where f.tenant = '' and ${within('f.user_id')} and f.confirmed_at is not null and f.user_id = any (${unknownUsers}) returning 1)
           ${lastOfSlice}`,
    start: {
      name: 'identity.sweep_orphaned_totp_start',
      text: keyIn('totp_factor', 'user_id', "tenant = '' and"),
    },
  },
  {
    name: 'identity.sweep_orphaned_codes',
    text: `with ${slice('recovery_code where', 'user_id')}, removal as (
             delete from recovery_code f where ${within('f.user_id')} and f.user_id = any (${unknownUsers}) returning 1)
           ${lastOfSlice}`,
    start: {
      name: 'identity.sweep_orphaned_codes_start',
      text: keyIn('recovery_code', 'user_id', ''),
    },
  },
];

/** Runs one sweep of a slice. Returns the last key and the number of keys. */
export async function sweepSlice(
  database: Database,
  call: Origin,
  statement: SliceSweep,
  after: string,
  limit: number,
): Promise<{ last: string; size: number }> {
  const [row] = await database.write(call, statement, [after, limit]);
  return { last: row?.last ?? '', size: row?.size ?? 0 };
}

/** A random key of each table that is examined in slices, by sweep. */
export async function randomStarts(
  database: Database,
  random = Math.random,
): Promise<Map<string, string>> {
  const starts = new Map<string, string>();
  for (const { name, start } of sliceSweeps) {
    const [row] = await database.query(start, [random()]);
    starts.set(name, row?.key ?? '');
  }
  return starts;
}

/** Runs one sweep. Returns how many rows it deleted. */
export async function sweep(
  database: Database,
  call: Origin,
  statement: Sweep,
  limit: number,
): Promise<number> {
  return (await database.write(call, statement, [limit])).length;
}
