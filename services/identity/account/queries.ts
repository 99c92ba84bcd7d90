import type { Origin } from '@bailiwick/contract';
import type { Database, Run, Statement, Transaction } from '@bailiwick/store';

// One conditional statement consumes a one-time token: one of several concurrent calls wins, and an
// expired token is void even before it is swept.

export type PendingRegistration = {
  user_id: string;
  email: string;
  email_key: string;
  password_hash: string;
  password_group: string;
  locale: string;
};

const newest: Statement<PendingRegistration, [emailKey: string]> = {
  name: 'identity.newest_registration',
  text: `select user_id, email, email_key, password_hash, password_group, locale from registration
         where email_key = $1 and expires_at > now() order by created_at desc, user_id desc limit 1`,
};

/** The latest attempt to register an address that is not verified yet. */
export async function findNewestRegistration(
  run: Run,
  emailKey: string,
): Promise<PendingRegistration | undefined> {
  const [row] = await run(newest, [emailKey]);
  return row;
}

const addressOfToken: Statement<{ email_key: string }, [tokenHash: Uint8Array]> = {
  name: 'identity.address_of_token',
  text: 'select email_key from registration where token_hash = $1 union all select email_key from email_change where token_hash = $1',
};

/** The address of a token, valid or expired. It serialises calls about one address. */
export async function findTokenAddress(
  database: Database,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await database.query(addressOfToken, [tokenHash]);
  return row?.email_key;
}

/** Deletes and returns the registration of a token, if the token is valid. */
export async function consumeRegistration(
  tx: Transaction,
  tokenHash: Uint8Array,
): Promise<PendingRegistration | undefined> {
  const [row] = await tx.query<PendingRegistration>(
    'delete from registration where token_hash = $1 and expires_at > now() returning user_id, email, email_key, password_hash, password_group, locale',
    [tokenHash],
  );
  return row;
}

/** Gives a pending registration a new token, which voids the previous one. */
export async function renewRegistration(
  tx: Transaction,
  userId: string,
  tokenHash: Uint8Array,
  expiresAt: Date,
): Promise<boolean> {
  const rows = await tx.query(
    'update registration set token_hash = $1, expires_at = $2 where user_id = $3 returning user_id',
    [tokenHash, expiresAt, userId],
  );
  return rows.length > 0;
}

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

const resetToken: Statement<unknown, [tokenHash: Uint8Array]> = {
  name: 'identity.reset_token',
  text: 'select 1 as one from reset_token where token_hash = $1 and expires_at > now()',
};

/** Whether a token is valid now. The final decision is made by consuming it. */
export async function hasResetToken(database: Database, tokenHash: Uint8Array): Promise<boolean> {
  return (await database.query(resetToken, [tokenHash])).length > 0;
}

/** The user of a reset token, valid or expired: the user is locked before the token is consumed. */
export async function findResetUser(
  tx: Transaction,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await tx.query<{ user_id: string }>(
    'select user_id from reset_token where token_hash = $1',
    [tokenHash],
  );
  return row?.user_id;
}

/** Consumes a reset token. A token issued for an address that the user no longer has is void. */
export async function consumeResetToken(tx: Transaction, tokenHash: Uint8Array): Promise<boolean> {
  const rows = await tx.query(
    `delete from reset_token t using user_account u
     where t.token_hash = $1 and t.expires_at > now() and u.id = t.user_id and u.email_key = t.email_key and u.status = 'active' returning t.user_id`,
    [tokenHash],
  );
  return rows.length > 0;
}

export async function voidResetTokens(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from reset_token where user_id = $1', [userId]);
}

const currentAddress: Statement<{ email: string }, [tokenHash: Uint8Array]> = {
  name: 'identity.leaving_address',
  text: 'select u.email from email_change c join user_account u on u.id = c.user_id where c.token_hash = $1',
};

/**
 * The current address of the user whose change of address a token verifies; undefined if it is not
 * such a token.
 */
export async function findCurrentAddress(
  database: Database,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await database.query(currentAddress, [tokenHash]);
  return row?.email;
}

/**
 * The user of a change of address, valid or expired: the user is locked before the token is
 * consumed.
 */
export async function findEmailChangeUser(
  tx: Transaction,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await tx.query<{ user_id: string }>(
    'select user_id from email_change where token_hash = $1',
    [tokenHash],
  );
  return row?.user_id;
}

/** Deletes and returns the change of address of a token, if the token is valid. */
export async function consumeEmailChange(
  tx: Transaction,
  tokenHash: Uint8Array,
): Promise<{ email: string; email_key: string } | undefined> {
  const [row] = await tx.query<{ email: string; email_key: string }>(
    'delete from email_change where token_hash = $1 and expires_at > now() returning email, email_key',
    [tokenHash],
  );
  return row;
}

export async function voidEmailChanges(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from email_change where user_id = $1', [userId]);
}

const countMailed: Statement<MailedCode, [requestHash: Uint8Array]> = {
  name: 'identity.count_mailed_try',
  text: `update mailed_code set tries = tries + 1 where request_hash = $1 and tries < 5 and expires_at > now()
         returning user_id, email_key, code_hash`,
};

type MailedCode = { user_id: string; email_key: string; code_hash: Uint8Array };

/** Counts a try of a mailed code. Undefined if it is used, expired or has no tries left. */
export async function countMailedTry(
  database: Database,
  call: Origin,
  requestHash: Uint8Array,
): Promise<MailedCode | undefined> {
  const [row] = await database.write(call, countMailed, [requestHash]);
  return row;
}

/** Consumes a mailed code, and voids the user's others. One of several calls at once wins. */
export async function consumeMailedCode(
  tx: Transaction,
  requestHash: Uint8Array,
): Promise<boolean> {
  const rows = await tx.query(
    `with used as (
       delete from mailed_code where request_hash = $1 and expires_at > now() returning user_id
     ), others as (
       delete from mailed_code m using used where m.user_id = used.user_id and m.request_hash <> $1
     )
     select 1 as one from used`,
    [requestHash],
  );
  return rows.length > 0;
}
