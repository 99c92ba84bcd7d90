import { type Database, type EntityManager, execute, type Statement } from '@bailiwick/database';

/** The longest wait after failed sign-ins, in seconds. */
export const longestWaitSeconds = 3600;

const failuresOf: Statement = {
  name: 'identity.login_failures',
  text: `select coalesce(f.failures, 0) as failures, greatest(0, ceil(extract(epoch from f.blocked_until - now())))::int as wait, n.network
         from (select coalesce((select network from known_network where email_key = $1 and network = $2), '') as network) n
         left join login_failure f on f.email_key = $1 and f.network = n.network`,
};

// From the fifth consecutive failure: 30 s, doubling up to longestWaitSeconds.
const countOf: Statement = {
  name: 'identity.count_login_failure',
  text: `insert into login_failure as f (email_key, network, failures, updated_at) values ($1, $2, 1, now())
         on conflict (email_key, network) do update set failures = f.failures + 1, updated_at = now(),
           blocked_until = case when f.failures >= 4
             then now() + make_interval(secs => least(3600, 30 * power(2, least(f.failures - 4, 20)))) end`,
};

export type FailureState = { failures: number; wait: number | null; network: string };

/**
 * The failures and wait of an account for a network, and the network they are counted under; "" =
 * unknown networks.
 */
export async function findFailures(
  database: Database,
  emailKey: string,
  network: string,
): Promise<FailureState | undefined> {
  const [state] = await database.query<FailureState>(failuresOf, [emailKey, network]);
  return state;
}

export async function countFailure(
  database: Database,
  emailKey: string,
  network: string,
): Promise<void> {
  await database.query(countOf, [emailKey, network]);
}

/**
 * Records a successful sign-in: its network becomes a known one, and the failures counted with it
 * are cleared. Failures from other networks stay: a sign-in at home must not give attackers
 * elsewhere new guesses.
 */
export async function recordSuccess(
  em: EntityManager,
  emailKey: string,
  network: string,
): Promise<void> {
  await execute(
    em,
    `with known as (
       insert into known_network (email_key, network, last_success_at) values ($1, $2, now())
       on conflict (email_key, network) do update set last_success_at = now() returning xmax = 0 as is_new)
     delete from login_failure f using known where f.email_key = $1 and f.network = case when known.is_new then '' else $2 end`,
    [emailKey, network],
  );
}

/** Unlocks an account after any number of failures: the user has proved control of the address. */
export async function clearFailures(em: EntityManager, emailKey: string): Promise<void> {
  await execute(em, 'delete from login_failure where email_key = $1', [emailKey]);
}
