import {
  type Database,
  type EntityManager,
  execute,
  type Run,
  type Statement,
} from '@bailiwick/database';
import type { Assurance } from '../sessions/entities.ts';
import type { UserRow } from '../users/entities.ts';
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

const confirmed: Statement = {
  name: 'identity.confirmed_totp',
  text: `select id, dek_id, secret_enc, last_step, sso_tenant from totp_factor
         where tenant = '' and user_id = $1 and confirmed_at is not null order by id`,
};

/** The authenticator apps of a user that count. */
export const findTotps = (database: Database, userId: string): Promise<StoredTotp[]> =>
  database.query<StoredTotp>(confirmed, [userId]);

const unconfirmed: Statement = {
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
  const [row] = await database.query<StoredTotp>(unconfirmed, [userId, id]);
  return row;
}

const list: Statement = {
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
  database.query<ListedFactor>(list, [userId]);

export type NewTotp = {
  id: string;
  userId: string;
  name: string;
  dekId: string;
  sealed: Uint8Array;
};

/** Stores an unconfirmed authenticator app in place of an earlier one. */
export async function storeTotp(
  em: EntityManager,
  { id, userId, name, dekId, sealed }: NewTotp,
): Promise<void> {
  await execute(
    em,
    "delete from totp_factor where tenant = '' and user_id = $1 and confirmed_at is null",
    [userId],
  );
  await execute(
    em,
    `insert into totp_factor (tenant, id, user_id, name, dek_id, secret_enc, last_step, created_at)
     values ('', $1, $2, $3, $4, $5, 0, now())`,
    [id, userId, name, dekId, sealed],
  );
}

export async function countTotps(em: EntityManager, userId: string): Promise<number> {
  const [row] = await execute<{ count: number }>(
    em,
    "select count(*)::int as count from totp_factor where tenant = '' and user_id = $1 and confirmed_at is not null",
    [userId],
  );
  return row?.count ?? 0;
}

/**
 * Confirms an authenticator app with the step of its first code. Undefined if it is not waiting.
 */
export async function confirmTotp(
  em: EntityManager,
  userId: string,
  id: string,
  { step, ssoTenant }: { step: number; ssoTenant: string },
): Promise<ListedFactor | undefined> {
  const [row] = await execute<ListedFactor>(
    em,
    `update totp_factor set confirmed_at = now(), last_step = $3, sso_tenant = $4
     where tenant = '' and user_id = $1 and id = $2 and confirmed_at is null
     returning id, 'totp' as kind, name, confirmed_at, last_used_at`,
    [userId, id, step, ssoTenant],
  );
  return row;
}

/** Uses a time step of an authenticator app. Each step works once: one of several calls wins. */
export async function useStep(
  em: EntityManager,
  userId: string,
  id: string,
  step: number,
): Promise<boolean> {
  const rows = await execute(
    em,
    `update totp_factor set last_step = $3, last_used_at = now()
     where tenant = '' and user_id = $1 and id = $2 and last_step < $3 and confirmed_at is not null
     returning id`,
    [userId, id, step],
  );
  return rows.length > 0;
}

/** Deletes a confirmed authenticator app of a user and returns its name. */
export async function deleteTotp(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await execute<{ name: string }>(
    em,
    `delete from totp_factor where tenant = '' and user_id = $1 and id = $2 and confirmed_at is not null
     returning name`,
    [userId, id],
  );
  return row?.name;
}

/** Deletes all authenticator apps and passkeys of a user. */
export async function deleteFactors(em: EntityManager, userId: string): Promise<void> {
  await execute(em, 'delete from passkey where user_id = $1', [userId]);
  await execute(em, "delete from totp_factor where tenant = '' and user_id = $1", [userId]);
}

/** The kinds of factors that a user has now. */
export async function findFactors(em: EntityManager, userId: string): Promise<string[]> {
  const [row] = await execute<{ factors: string[] }>(
    em,
    `select ${factorsOf('u')} as factors from user_account u where u.id = $1`,
    [userId],
  );
  return row?.factors ?? [];
}

/** Replaces the recovery codes of a user. */
export async function replaceCodes(
  em: EntityManager,
  userId: string,
  {
    salt,
    hashes,
    ssoTenant,
  }: { salt: Uint8Array; hashes: readonly Uint8Array[]; ssoTenant: string },
): Promise<void> {
  await deleteCodes(em, userId);
  await execute(
    em,
    'insert into recovery_code (user_id, code_hash, salt, sso_tenant) select $1, unnest($2::bytea[]), $3, $4',
    [userId, hashes, salt, ssoTenant],
  );
}

export async function deleteCodes(em: EntityManager, userId: string): Promise<void> {
  await execute(em, 'delete from recovery_code where user_id = $1', [userId]);
}

const codes: Statement = {
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
  em: EntityManager,
  userId: string,
  codeHash: Uint8Array,
): Promise<boolean> {
  const rows = await execute(
    em,
    'delete from recovery_code where user_id = $1 and code_hash = $2 returning user_id',
    [userId, codeHash],
  );
  return rows.length > 0;
}

const codesLeft: Statement = {
  name: 'identity.count_recovery_codes',
  text: 'select count(*)::int as count from recovery_code where user_id = $1',
};

export async function countCodes(run: Run, userId: string): Promise<number> {
  const [row] = await run<{ count: number }>(codesLeft, [userId]);
  return row?.count ?? 0;
}

// Waits for a change of the user that is being stored, and then compares the changed row: a
// challenge never outlives the password or the factors that it was made for.
const challenge: Statement = {
  name: 'identity.store_challenge',
  text: `with checked as (
           select id from user_account
           where id = $2 and status = 'active' and updated_at = $3 and password_hash is not distinct from $4
           for share
         ), stored as (
           insert into login_challenge (token_hash, user_id, network, auth_method, tries, created_at, expires_at)
           select $1::bytea, id, $5, $6, 0, now(), now() + interval '10 minutes' from checked
           returning user_id
         )
         select exists (select 1 from recovery_code r where r.user_id = s.user_id) as has_codes from stored s`,
};

/**
 * Stores a challenge, if the user is active and has not changed since it was read; else undefined.
 * Returns whether the user has recovery codes.
 */
export async function storeChallenge(
  run: Run,
  tokenHash: Uint8Array,
  { id, updatedAt, passwordHash }: Pick<UserRow, 'id' | 'updatedAt' | 'passwordHash'>,
  { place, authMethod }: { place: string; authMethod: string },
): Promise<{ hasCodes: boolean } | undefined> {
  const values = [tokenHash, id, updatedAt, passwordHash, place, authMethod];
  const [row] = await run<{ has_codes: boolean }>(challenge, values);
  return row && { hasCodes: row.has_codes };
}

/**
 * A challenge can be answered: it is not expired, has tries left, and was asked for in this place.
 */
const isOpen = 'expires_at > now() and network = $2 and tries < 5';

const challenged: Statement = {
  name: 'identity.challenged_user',
  text: `select user_id from login_challenge where token_hash = $1 and ${isOpen}`,
};

/** The user of an open challenge. */
export async function findChallenged(
  database: Database,
  tokenHash: Uint8Array,
  place: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ user_id: string }>(challenged, [tokenHash, place]);
  return row?.user_id;
}

const tried: Statement = {
  name: 'identity.try_challenge',
  text: `update login_challenge set tries = tries + 1 where token_hash = $1 and ${isOpen} returning user_id`,
};

/** Counts a try of an open challenge. Returns false if it is no longer open. */
export async function countTry(
  database: Database,
  tokenHash: Uint8Array,
  place: string,
): Promise<boolean> {
  return (await database.query(tried, [tokenHash, place])).length > 0;
}

/**
 * Consumes a challenge and returns the first method of its sign-in: one of several calls wins. The
 * try was counted before.
 */
export async function consumeChallenge(
  em: EntityManager,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await execute<{ auth_method: string }>(
    em,
    'delete from login_challenge where token_hash = $1 and expires_at > now() returning auth_method',
    [tokenHash],
  );
  return row?.auth_method;
}

/**
 * The place of an open session's challenge: it is asked for and answered in one session and
 * network. A sign-in's place is its network only, so Account_CompleteLogin finds no challenge of a
 * session, neither here nor in processes of the previous version.
 */
export const challengePlace = (network: string, sessionId: string): string =>
  `${network} ${sessionId}`;

/** Voids the challenges of a user's session, in whichever network it asked for them. */
export async function voidChallengesOf(
  em: EntityManager,
  userId: string,
  sessionId: string,
): Promise<void> {
  const text =
    "delete from login_challenge where user_id = $1 and split_part(network, ' ', 2) = $2";
  await execute(em, text, [userId, sessionId]);
}

/**
 * Adds a factor to a session, whose user has just added or proved it. If it was added in a session
 * of a tenant's provider, it is no factor of the user's own in other tenants: that provider may
 * have added it.
 */
export async function raiseSession(
  em: EntityManager,
  id: string,
  { method, assurance, ssoTenant }: { method: string; assurance: Assurance; ssoTenant: string },
): Promise<void> {
  await execute(
    em,
    `update session set further_methods = case when $2 = any (further_methods) then further_methods else further_methods || $2::text end,
       assurance = case assurance when 'phishing_resistant' then assurance else $3 end,
       own_assurance = case when own_assurance = 'phishing_resistant' or $4 = '' then own_assurance else $4 end
     where id = $1`,
    [id, method, assurance, ssoTenant === '' ? assurance : ''],
  );
}

/** Makes the sign-in of a session a recent one: its user has just proved a factor. */
export async function refreshSession(em: EntityManager, id: string): Promise<void> {
  await execute(em, 'update session set proven_at = now() where id = $1', [id]);
}
