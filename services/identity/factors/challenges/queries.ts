import {
  type Database,
  type EntityManager,
  execute,
  type Run,
  type Statement,
} from '@bailiwick/database';
import type { UserRow } from '../../users/entities.ts';

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

/** A challenge can be answered: it has not expired, has tries left, and is of this place. */
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
