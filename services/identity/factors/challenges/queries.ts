import type { Origin } from '@bailiwick/contract';
import type { Database, Run, Statement, Transaction } from '@bailiwick/store';
import type { UserRow } from '../../users/entities.ts';

/** A recovery code whose tenant is known. It is used up after the second factor. */
export type RecoveryCode = { tenant: string; codeHash: Uint8Array };

/** Where a challenge is asked for, the method that was right, and the recovery code beside it. */
type NewChallenge = { place: string; authMethod: string; recovery?: RecoveryCode | undefined };

// Waits for a change of the user that is being stored, and then compares the changed row: a
// challenge never outlives the password or the factors that it was made for.
const challenge: Statement<
  { has_codes: boolean },
  [
    tokenHash: Uint8Array,
    id: string,
    updatedAt: UserRow['updatedAt'],
    passwordHash: UserRow['passwordHash'],
    place: string,
    authMethod: string,
    recoveryTenant: string,
    recoveryHash: Uint8Array | null,
  ]
> = {
  name: 'identity.store_challenge',
  text: `with checked as (
           select id from user_account
           where id = $2 and status = 'active' and updated_at = $3 and password_hash is not distinct from $4
           for share
         ), stored as (
           insert into login_challenge (token_hash, user_id, network, auth_method, tries, created_at, expires_at, recovery_tenant, recovery_hash)
           select $1::bytea, id, $5, $6, 0, now(), now() + interval '10 minutes', $7, $8::bytea from checked
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
  { place, authMethod, recovery }: NewChallenge,
): Promise<{ hasCodes: boolean } | undefined> {
  const code = recovery ?? { tenant: '', codeHash: null };
  const [row] = await run(challenge, [
    tokenHash,
    id,
    updatedAt,
    passwordHash,
    place,
    authMethod,
    code.tenant,
    code.codeHash,
  ]);
  return row && { hasCodes: row.has_codes };
}

/** A challenge can be answered: it has not expired, has tries left, and is of this place. */
const isOpen = 'expires_at > now() and network = $2 and tries < 5';

const challenged: Statement<
  {
    user_id: string;
    recovery_tenant: string;
    recovery_hash: Uint8Array | null;
  },
  [tokenHash: Uint8Array, place: string]
> = {
  name: 'identity.challenged_user',
  text: `select user_id, recovery_tenant, recovery_hash from login_challenge where token_hash = $1 and ${isOpen}`,
};

/** The user of an open challenge, and the recovery code of the sign-in. */
export async function findChallenged(
  database: Database,
  tokenHash: Uint8Array,
  place: string,
): Promise<{ userId: string; recovery: RecoveryCode | undefined } | undefined> {
  const [row] = await database.query(challenged, [tokenHash, place]);
  if (!row) return undefined;
  const { user_id: userId, recovery_tenant: tenant, recovery_hash: codeHash } = row;
  return { userId, recovery: codeHash ? { tenant, codeHash } : undefined };
}

const tried: Statement<unknown, [tokenHash: Uint8Array, place: string]> = {
  name: 'identity.try_challenge',
  text: `update login_challenge set tries = tries + 1 where token_hash = $1 and ${isOpen} returning user_id`,
};

/** Counts a try of an open challenge. Returns false if it is no longer open. */
export async function countTry(
  database: Database,
  call: Origin,
  tokenHash: Uint8Array,
  place: string,
): Promise<boolean> {
  return (await database.write(call, tried, [tokenHash, place])).length > 0;
}

/**
 * Consumes a challenge and returns the first method of its sign-in: one of several calls wins. The
 * try was counted before.
 */
export async function consumeChallenge(
  tx: Transaction,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await tx.query<{ auth_method: string }>(
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
  tx: Transaction,
  userId: string,
  sessionId: string,
): Promise<void> {
  const text =
    "delete from login_challenge where user_id = $1 and split_part(network, ' ', 2) = $2";
  await tx.query(text, [userId, sessionId]);
}
