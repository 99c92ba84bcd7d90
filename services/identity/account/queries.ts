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
