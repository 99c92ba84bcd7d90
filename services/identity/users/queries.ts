import type { Email } from '@bailiwick/contract';
import type { PageQuery, Search } from '@bailiwick/pipeline';
import {
  createListing,
  type Database,
  type FoundIds,
  lastPartKey,
  type Reader,
  type Run,
  type Statement,
  type Transaction,
  textKey,
} from '@bailiwick/store';
import { type UserRow, userTrigrams } from './entities.ts';

const storedColumns = `id, email, email_key, email_verified, mailbox_proven, name, given_name, family_name, picture,
  locale, status, lock_receipt, external_id, import_batch, metadata, password_hash, last_login_at, created_at, updated_at`;

/** The columns of a StoredUser, from a table with this alias. */
export const columnsOf = (user: string): string => `
  ${user}.id, ${user}.email, ${user}.email_key, ${user}.email_verified, ${user}.mailbox_proven, ${user}.name,
  ${user}.given_name, ${user}.family_name, ${user}.picture, ${user}.locale, ${user}.status, ${user}.lock_receipt,
  ${user}.external_id, ${user}.import_batch, ${user}.metadata, ${user}.password_hash, ${user}.last_login_at, ${user}.created_at,
  ${user}.updated_at`;
const columns = columnsOf('user_account');

/**
 * The kinds of second factors of a user, from a table with this alias. With one of them the
 * password alone opens no session.
 */
export const factorsOf = (user: string): string => `array(
  select 'totp' where exists (
    select 1 from totp_factor where tenant = '' and user_id = ${user}.id and confirmed_at is not null)
  union all
  select 'passkey' where exists (select 1 from passkey where user_id = ${user}.id)
)`;

const byEmailKey: Statement<StoredUser, [emailKey: string]> = {
  name: 'identity.user_by_email',
  text: `select ${columns} from user_account where email_key = $1`,
};
const byIds: Statement<StoredUser, [ids: readonly string[]]> = {
  name: 'identity.users_by_ids',
  text: `select ${columns} from user_account where id = any($1) order by id`,
};
const inOrder: Statement<StoredUser, [after: string, limit: number]> = {
  name: 'identity.users',
  text: `select ${columns} from user_account where id > $1 order by id limit $2`,
};

/** A row of user_account as the driver returns it. */
export type StoredUser = {
  id: string;
  email: string;
  email_key: string;
  email_verified: boolean;
  mailbox_proven: boolean;
  name: string;
  given_name: string;
  family_name: string;
  picture: string;
  locale: string;
  status: string;
  lock_receipt: string;
  external_id: string;
  import_batch: string;
  metadata: Record<string, string>;
  password_hash: string | null;
  last_login_at: string | null;
  created_at: string;
  updated_at: string;
};

export async function findUserByEmailKey(run: Run, emailKey: string): Promise<UserRow | undefined> {
  const [row] = await run(byEmailKey, [emailKey]);
  return row && userOf(row);
}

const hasEmailKey: Statement<unknown, [unmappedKey: string]> = {
  name: 'identity.has_email_key',
  text: 'select 1 as one from user_account where email_key = $1',
};

/**
 * An address with the key under which its account is stored. Accounts from versions that did not
 * map character widths keep their key: another account may have the mapped one.
 */
export async function settleEmail(database: Database, email: Email): Promise<Email> {
  const { key, unmappedKey } = email;
  if (key === unmappedKey) return email;
  const rows = await database.query(hasEmailKey, [unmappedKey]);
  return rows.length > 0 ? { ...email, key: unmappedKey } : email;
}

/** The users among `ids`, in order of id. */
export async function findUsers(reader: Reader, ids: readonly string[]): Promise<UserRow[]> {
  const rows = await reader.query(byIds, [ids]);
  return rows.map(userOf);
}

/** All users, in order of id. */
export async function listUsers(reader: Reader, { after, limit }: PageQuery): Promise<UserRow[]> {
  const rows = await reader.query(inOrder, [after, limit]);
  return rows.map(userOf);
}

const searched = createListing({
  name: 'identity.users_searched',
  sources: ['user_account u'],
  scope: `$1::text = ''`,
  id: 'u.id',
  orders: {
    name: { key: textKey('u.name'), type: 'text' },
    email: { key: textKey('u.email'), type: 'text' },
    created: { key: 'u.created_at', type: 'timestamptz' },
  },
  searched: [textKey('u.name'), lastPartKey('u.name'), textKey('u.email')],
  inside: {
    index: userTrigrams,
    keys: [textKey('u.name'), textKey('u.email')],
    scope: `$1::text = ''`,
  },
  filters: [
    '($7::text is null or u.status = $7)',
    '($8::timestamptz is null or u.created_at >= $8)',
    '($9::timestamptz is null or u.created_at < $9)',
  ],
  selective: [
    {
      name: 'disabled',
      where: `u.status <> 'active' and u.status = $7`,
      isGiven: ([status]) => status === 'disabled',
    },
    {
      name: 'period',
      where: `u.created_at >= coalesce($8::timestamptz, '-infinity') and u.created_at < coalesce($9::timestamptz, 'infinity')`,
      isGiven: ([, from, to]) => from !== null || to !== null,
    },
  ],
});

/** The ids of a page of all users. */
export const searchUsers = (
  reader: Reader,
  { status, from, to, ...search }: Search,
  page: PageQuery,
): Promise<FoundIds> =>
  searched.find(reader.query, { ...search, ...page, tenant: '', values: [status, from, to] });

/**
 * Deletes everything that belongs to an account and its address, except the account itself and its
 * sessions.
 */
export async function deleteBelongings(
  tx: Transaction,
  userId: string,
  emailKey: string,
): Promise<void> {
  await tx.query('delete from passkey where user_id = $1', [userId]);
  await tx.query('delete from reset_token where user_id = $1', [userId]);
  await tx.query('delete from email_change where user_id = $1', [userId]);
  await tx.query('delete from pending_link where user_id = $1', [userId]);
  await tx.query('delete from registration where user_id = $1 or email_key = $2', [
    userId,
    emailKey,
  ]);
  await tx.query("delete from totp_factor where tenant = '' and user_id = $1", [userId]);
  await tx.query('delete from recovery_code where user_id = $1', [userId]);
  await tx.query("delete from login_failure where email_key in ($1, 'factor ' || $2)", [
    emailKey,
    userId,
  ]);
  await tx.query("delete from known_network where email_key in ($1, 'factor ' || $2)", [
    emailKey,
    userId,
  ]);
}

const addUsers: Statement<never, [users: string]> = {
  name: 'identity.add_users',
  text: `with rivals as (
           delete from registration where email_key in (select u.email_key from jsonb_to_recordset($1::jsonb) as u (email_key text))
         )
         insert into user_account (${storedColumns})
         select ${storedColumns} from jsonb_to_recordset($1::jsonb) as u (
           id text, email text, email_key text, email_verified boolean, mailbox_proven boolean, name text,
           given_name text, family_name text, picture text, locale text, status text, lock_receipt text, external_id text,
           import_batch text, metadata jsonb, password_hash text, last_login_at timestamptz,
           created_at timestamptz, updated_at timestamptz)`,
};

/**
 * Stores new users with one statement, whose addresses are locked. Pending registrations of the
 * addresses are void: they have not proved control of them.
 */
export async function addNewUsers(run: Run, users: readonly UserRow[]): Promise<void> {
  await run(addUsers, [JSON.stringify(users.map(rowOf))]);
}

/** Deletes the pending registrations of addresses and returns their password groups. */
export async function consumeRivals(
  tx: Transaction,
  emailKeys: readonly string[],
): Promise<Array<{ password_group: string; alive: boolean }>> {
  return tx.query(
    'delete from registration where email_key = any($1) returning password_group, expires_at > now() as alive',
    [emailKeys],
  );
}

const rowOf = (user: UserRow) => ({
  id: user.id,
  email: user.email,
  email_key: user.emailKey,
  email_verified: user.emailVerified,
  mailbox_proven: user.mailboxProven,
  name: user.name,
  given_name: user.givenName,
  family_name: user.familyName,
  picture: user.picture,
  locale: user.locale,
  status: user.status,
  lock_receipt: user.lockReceipt,
  external_id: user.externalId,
  import_batch: user.importBatch,
  metadata: user.metadata,
  password_hash: user.passwordHash,
  last_login_at: user.lastLoginAt,
  created_at: user.createdAt,
  updated_at: user.updatedAt,
});

export function userOf(row: StoredUser): UserRow {
  return {
    id: row.id,
    email: row.email,
    emailKey: row.email_key,
    emailVerified: row.email_verified,
    mailboxProven: row.mailbox_proven,
    name: row.name,
    givenName: row.given_name,
    familyName: row.family_name,
    picture: row.picture,
    locale: row.locale,
    status: row.status,
    lockReceipt: row.lock_receipt,
    externalId: row.external_id,
    importBatch: row.import_batch,
    metadata: row.metadata,
    passwordHash: row.password_hash,
    lastLoginAt: row.last_login_at === null ? null : new Date(row.last_login_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}
