import type { Origin } from '@bailiwick/contract';
import {
  addUses,
  type Counted,
  type Database,
  type Statement,
  type Transaction,
} from '@bailiwick/store';
import type { UserRow } from '../users/entities.ts';
import { columnsOf, factorsOf, type StoredUser, userOf } from '../users/queries.ts';

/** The longest wait after failed sign-ins, in seconds. */
export const longestWaitSeconds = 3600;

// One statement with all that a check of a password needs: two hundred of them count as two hundred
// uses of the account, and a known address costs what an unknown one does.
const beginAttempt: Statement<
  AttemptRow,
  [emailKey: string, network: string, seconds: number, countsUse: boolean]
> = {
  name: 'identity.begin_attempt',
  text: `with place as (
           select coalesce((select network from known_network where email_key = $1 and network = $2), '') as network
         ), counted as (
           insert into rate_window as w (key, count, ends_at)
           select 'login ' || $1 || ' ' || network, 1, now() + make_interval(secs => $3) from place where $4::boolean
           ${addUses('1')}
           returning count as used, ceil(extract(epoch from ends_at - now()))::int as seconds_left
         )
         select p.network, coalesce(f.failures, 0) as failures,
           greatest(0, ceil(extract(epoch from f.blocked_until - now())))::int as wait,
           coalesce(c.used, 0) as used, coalesce(c.seconds_left, 0) as seconds_left, r.password_hash as pending_hash,
           ${factorsOf('u')} as factors, ${columnsOf('u')}
         from place p
           left join counted c on true
           left join login_failure f on f.email_key = $1 and f.network = p.network
           left join user_account u on u.email_key = $1
           left join lateral (
             select password_hash from registration where email_key = $1 and expires_at > now()
             order by created_at desc, user_id desc limit 1) r on u.id is null`,
};

// From the fifth consecutive failure: 30 s, doubling up to longestWaitSeconds.
const countOf: Statement<never, [emailKey: string, network: string]> = {
  name: 'identity.count_login_failure',
  text: `insert into login_failure as f (email_key, network, failures, updated_at) values ($1, $2, 1, now())
         on conflict (email_key, network) do update set failures = f.failures + 1, updated_at = now(),
           blocked_until = case when f.failures >= 4
             then now() + make_interval(secs => least(3600, 30 * power(2, least(f.failures - 4, 20)))) end`,
};

/** An account, or a registration that is not verified yet, whose password is checked. */
export type Account = {
  user: UserRow | undefined;
  /** The kinds of second factors that are due after the password. */
  factors: readonly string[];
  /** The hash of the newest registration of an address without a user. */
  pendingHash: string | undefined;
};

export type Attempt = {
  account: Account;
  /** The network that the failures are counted under; "" = unknown networks. */
  network: string;
  failures: number;
  /** Seconds until the next attempt is allowed. */
  wait: number;
  counted: Counted;
};

type AttemptRow = Partial<Nullable<StoredUser>> & {
  network: string;
  failures: number;
  wait: number;
  used: number;
  seconds_left: number;
  pending_hash: string | null;
  factors: string[];
};
type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null };

/** The account of an address, with its failures from a network. Counts a use if `seconds` > 0. */
export async function findAttempt(
  database: Database,
  call: Origin,
  emailKey: string,
  network: string,
  seconds: number,
): Promise<Attempt> {
  const [row] = await database.write(call, beginAttempt, [emailKey, network, seconds, seconds > 0]);
  if (!row) throw new Error('the statement of an attempt returned no row');
  return {
    account: {
      user: row.id === null ? undefined : userOf(row as StoredUser),
      factors: row.factors,
      pendingHash: row.pending_hash ?? undefined,
    },
    network: row.network,
    failures: row.failures,
    wait: row.wait,
    counted: { used: row.used, left: row.seconds_left },
  };
}

const importedHashes: Statement<{ has: boolean }, []> = {
  name: 'identity.has_imported_hashes',
  text: `select exists (select 1 from user_account where password_hash like 'imported %') as has`,
};

const importedShare: Statement<{ share: number; key: Uint8Array }, []> = {
  name: 'identity.imported_share',
  text: `select (select count(*) from user_account where password_hash like 'imported %')::float8
           / greatest(1, (select count(*) from user_account)) as share, key from lookalike_key where name = 'imported'`,
};

/** The share of users with such hashes among all users, and the key that chooses lookalikes. */
export async function findImportedShare(
  database: Database,
): Promise<{ share: number; key: Uint8Array }> {
  const [row] = await database.query(importedShare, []);
  if (!row) throw new Error('the table lookalike_key is empty');
  return row;
}

/** Whether users have password hashes of other systems, which no sign-in has renewed yet. */
export async function hasImportedHashes(database: Database): Promise<boolean> {
  const [row] = await database.query(importedHashes, []);
  return row?.has === true;
}

export async function countFailure(
  database: Database,
  call: Origin,
  emailKey: string,
  network: string,
): Promise<void> {
  await database.write(call, countOf, [emailKey, network]);
}

const knownNetwork: Statement<{ is: boolean }, [emailKey: string, network: string]> = {
  name: 'identity.is_known_network',
  text: 'select exists (select 1 from known_network where email_key = $1 and network = $2) as is',
};

/** Whether an account was signed in to from a network. */
export async function isKnownNetwork(
  database: Database,
  emailKey: string,
  network: string,
): Promise<boolean> {
  const [row] = await database.query(knownNetwork, [emailKey, network]);
  return row?.is === true;
}

/** Makes a network a known one of an account: its failures have a count of their own. */
export async function rememberNetwork(
  tx: Transaction,
  emailKey: string,
  network: string,
): Promise<void> {
  await tx.query(
    `insert into known_network (email_key, network, last_success_at) values ($1, $2, now())
     on conflict (email_key, network) do update set last_success_at = now()`,
    [emailKey, network],
  );
}

/** The key of the failures and networks of a user's second factor. No address is like it. */
export const factorKey = (userId: string): string => `factor ${userId}`;

/**
 * Forgets the failures of a user's second factor that count for a network, after a right answer
 * there. The network becomes a known one.
 */
export async function clearFactorFailures(
  tx: Transaction,
  userId: string,
  network: string,
): Promise<void> {
  await tx.query(
    `with known as (
       insert into known_network (email_key, network, last_success_at) values ($1, $2, now())
       on conflict (email_key, network) do update set last_success_at = now()
       returning xmax = 0 as is_new
     )
     delete from login_failure f using known k
     where f.email_key = $1 and f.network = case when k.is_new then '' else $2 end`,
    [factorKey(userId), network],
  );
}

/** Forgets the networks in which a user has used a second factor. */
export async function forgetFactorNetworks(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from known_network where email_key = $1', [factorKey(userId)]);
}

/** Unlocks an account after any number of failures: the user has proved control of the address. */
export async function clearFailures(tx: Transaction, emailKey: string): Promise<void> {
  await tx.query('delete from login_failure where email_key = $1', [emailKey]);
}
