import { type Database, type EntityManager, execute, type Statement } from '@bailiwick/shared/orm.ts';

// One-time tokens are consumed by one conditional statement: of any number of calls at once, one wins,
// and an expired token is dead whether or not anything has swept it.

export type PendingRegistration = { user_id: string; email: string; email_key: string; password_hash: string; password_group: string };

const newest: Statement = {
  name: 'identity.newest_registration',
  text: `select user_id, email, email_key, password_hash, password_group from registration
         where email_key = $1 and expires_at > now() order by created_at desc, user_id desc limit 1`,
};

/** The latest attempt to register an address that still waits for its verification. */
export async function findNewestRegistration(database: Database, emailKey: string): Promise<PendingRegistration | undefined> {
  const [row] = await database.query<PendingRegistration>(newest, [emailKey]);
  return row;
}

/** Takes the registration of a token out of the table, if the token is alive. */
export async function consumeRegistration(em: EntityManager, tokenHash: Uint8Array): Promise<PendingRegistration | undefined> {
  const [row] = await execute<PendingRegistration>(
    em,
    'delete from registration where token_hash = $1 and expires_at > now() returning user_id, email, email_key, password_hash, password_group',
    [tokenHash],
  );
  return row;
}

/** Takes all other attempts of an address out of the table and tells which passwords they had. */
export async function consumeRivals(em: EntityManager, emailKey: string): Promise<Array<{ password_group: string; alive: boolean }>> {
  return execute(em, 'delete from registration where email_key = $1 returning password_group, expires_at > now() as alive', [emailKey]);
}

/** Gives a waiting registration a new token; the one before is void. */
export async function renewRegistration(em: EntityManager, userId: string, tokenHash: Uint8Array, expiresAt: Date): Promise<boolean> {
  const rows = await execute(em, 'update registration set token_hash = $1, expires_at = $2 where user_id = $3 returning user_id', [
    tokenHash,
    expiresAt,
    userId,
  ]);
  return rows.length > 0;
}

export async function deleteExpired(em: EntityManager): Promise<void> {
  await execute(em, 'delete from registration where expires_at < now()', []);
  await execute(em, 'delete from reset_token where expires_at < now()', []);
  await execute(em, "delete from session where expires_at < now() or last_seen_at < now() - interval '7 days'", []);
}

/** Consumes a reset token; a token issued for an address that the user no longer has is dead. */
export async function consumeResetToken(em: EntityManager, tokenHash: Uint8Array): Promise<{ user_id: string } | undefined> {
  const [row] = await execute<{ user_id: string }>(
    em,
    `delete from reset_token t using user_account u
     where t.token_hash = $1 and t.expires_at > now() and u.id = t.user_id and u.email_key = t.email_key and u.status = 'active' returning t.user_id`,
    [tokenHash],
  );
  return row;
}

export async function voidResetTokens(em: EntityManager, userId: string): Promise<void> {
  await execute(em, 'delete from reset_token where user_id = $1', [userId]);
}
