import type { Database, Run, Statement, Transaction } from '@bailiwick/store';
import { factorsOf } from '../users/queries.ts';

// Every change of a user's factors locks the user first.

/** An authenticator app with its sealed secret. */
export type StoredTotp = {
  id: string;
  dek_id: string;
  secret_enc: Uint8Array;
  last_step: number;
  sso_tenant: string;
};

const confirmed: Statement<StoredTotp, [userId: string]> = {
  name: 'identity.confirmed_totp',
  text: `select id, dek_id, secret_enc, last_step, sso_tenant from totp_factor
         where tenant = '' and user_id = $1 and confirmed_at is not null order by id`,
};

/** The authenticator apps of a user that count. */
export const findTotps = (database: Database, userId: string): Promise<StoredTotp[]> =>
  database.query(confirmed, [userId]);

const unconfirmed: Statement<StoredTotp, [userId: string, id: string]> = {
  name: 'identity.unconfirmed_totp',
  text: `select id, dek_id, secret_enc, last_step, sso_tenant from totp_factor
         where tenant = '' and user_id = $1 and id = $2 and confirmed_at is null
           and created_at > now() - interval '1 hour'`,
};

/** An authenticator app of a user that waits for its first code. */
export async function findUnconfirmed(
  database: Database,
  userId: string,
  id: string,
): Promise<StoredTotp | undefined> {
  const [row] = await database.query(unconfirmed, [userId, id]);
  return row;
}

const list: Statement<ListedFactor, [userId: string]> = {
  name: 'identity.list_factors',
  text: `select id, 'totp' as kind, name, confirmed_at, last_used_at from totp_factor
         where tenant = '' and user_id = $1 and confirmed_at is not null
         union all
         select id, 'passkey', name, created_at, last_used_at from passkey where user_id = $1
         order by confirmed_at, id`,
};

/** A factor as its user sees it. */
export type ListedFactor = {
  id: string;
  kind: string;
  name: string;
  confirmed_at: string;
  last_used_at: string | null;
};

/** All factors of a user, oldest first. */
export const listFactors = (database: Database, userId: string): Promise<ListedFactor[]> =>
  database.query(list, [userId]);

export type NewTotp = {
  id: string;
  userId: string;
  name: string;
  dekId: string;
  sealed: Uint8Array;
};

/** Stores an unconfirmed authenticator app in place of an earlier one. */
export async function storeTotp(
  tx: Transaction,
  { id, userId, name, dekId, sealed }: NewTotp,
): Promise<void> {
  await tx.query(
    "delete from totp_factor where tenant = '' and user_id = $1 and confirmed_at is null",
    [userId],
  );
  await tx.query(
    `insert into totp_factor (tenant, id, user_id, name, dek_id, secret_enc, last_step, created_at)
     values ('', $1, $2, $3, $4, $5, 0, now())`,
    [id, userId, name, dekId, sealed],
  );
}

export async function countTotps(tx: Transaction, userId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    "select count(*)::int as count from totp_factor where tenant = '' and user_id = $1 and confirmed_at is not null",
    [userId],
  );
  return row?.count ?? 0;
}

/** Confirms an app that waits for its first code, with the step of that code. */
export async function confirmTotp(
  tx: Transaction,
  userId: string,
  id: string,
  { step, ssoTenant }: { step: number; ssoTenant: string },
): Promise<ListedFactor | undefined> {
  const [row] = await tx.query<ListedFactor>(
    `update totp_factor set confirmed_at = now(), last_step = $3, sso_tenant = $4
     where tenant = '' and user_id = $1 and id = $2 and confirmed_at is null
     returning id, 'totp' as kind, name, confirmed_at, last_used_at`,
    [userId, id, step, ssoTenant],
  );
  return row;
}

/** Uses a time step of an authenticator app. Each step works once: one of several calls wins. */
export async function useStep(
  tx: Transaction,
  userId: string,
  id: string,
  step: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update totp_factor set last_step = $3, last_used_at = now()
     where tenant = '' and user_id = $1 and id = $2 and last_step < $3 and confirmed_at is not null
     returning id`,
    [userId, id, step],
  );
  return rows.length > 0;
}

/** Deletes a confirmed authenticator app of a user and returns its name. */
export async function deleteTotp(
  tx: Transaction,
  userId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(
    `delete from totp_factor where tenant = '' and user_id = $1 and id = $2 and confirmed_at is not null
     returning name`,
    [userId, id],
  );
  return row?.name;
}

/** Deletes all authenticator apps and passkeys of a user. */
export async function deleteFactors(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from passkey where user_id = $1', [userId]);
  await tx.query("delete from totp_factor where tenant = '' and user_id = $1", [userId]);
}

const kinds: Statement<{ factors: string[] }, [userId: string]> = {
  name: 'identity.factor_kinds',
  text: `select ${factorsOf('u')} as factors from user_account u where u.id = $1`,
};

/** The kinds of factors that a user has now. */
export async function findFactors(run: Run, userId: string): Promise<string[]> {
  const [row] = await run(kinds, [userId]);
  return row?.factors ?? [];
}

/** Replaces the recovery codes of a user. */
export async function replaceCodes(
  tx: Transaction,
  userId: string,
  {
    salt,
    hashes,
    ssoTenant,
  }: { salt: Uint8Array; hashes: readonly Uint8Array[]; ssoTenant: string },
): Promise<void> {
  await deleteCodes(tx, userId);
  await tx.query(
    'insert into recovery_code (user_id, code_hash, salt, sso_tenant) select $1, unnest($2::bytea[]), $3, $4',
    [userId, hashes, salt, ssoTenant],
  );
}

export async function deleteCodes(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from recovery_code where user_id = $1', [userId]);
}

const codes: Statement<
  { code_hash: Uint8Array; salt: Uint8Array; sso_tenant: string },
  [userId: string]
> = {
  name: 'identity.recovery_codes',
  text: 'select code_hash, salt, sso_tenant from recovery_code where user_id = $1',
};

/** The unused recovery codes of a user. */
export const findCodes = (
  database: Database,
  userId: string,
): Promise<Array<{ code_hash: Uint8Array; salt: Uint8Array; sso_tenant: string }>> =>
  database.query(codes, [userId]);

/** Uses a recovery code. Each works once: one of several calls wins. */
export async function useCode(
  tx: Transaction,
  userId: string,
  codeHash: Uint8Array,
): Promise<boolean> {
  const rows = await tx.query(
    'delete from recovery_code where user_id = $1 and code_hash = $2 returning user_id',
    [userId, codeHash],
  );
  return rows.length > 0;
}

const codesLeft: Statement<{ count: number }, [userId: string]> = {
  name: 'identity.count_recovery_codes',
  text: 'select count(*)::int as count from recovery_code where user_id = $1',
};

export async function countCodes(run: Run, userId: string): Promise<number> {
  const [row] = await run(codesLeft, [userId]);
  return row?.count ?? 0;
}
