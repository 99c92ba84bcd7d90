import { homeNetwork, type Limit, serviceOrigin } from '@bailiwick/contract';
import { exhausted } from '@bailiwick/errors';
import { assertWithin, type Database, type Limiter } from '@bailiwick/store';
import { createLane, waitUntil } from './lane.ts';
import {
  type Account,
  type Attempt,
  countFailure,
  factorKey,
  findAttempt,
  longestWaitSeconds,
} from './queries.ts';

// Limits password guessing. Consecutive failures are counted per account, and apart from that for
// each network with an earlier sign-in, so that guesses from elsewhere do not lock out the user at
// home. Unknown addresses are counted like accounts, so a lock reveals nothing. A password reset
// clears all counts: no lock is permanent.

/** From this many failures on, only a password reset or SSO opens the account again. */
const hardStop = 100;

type Check = (account: Account, until: number) => Promise<boolean>;

export type Throttle = ReturnType<typeof createThrottle>;

type Deps = { database: Database; limiter: Limiter; limits: { account: Limit } };

/** The attempts of an account that run in this process, and those of them that have ended. */
/** No change of the caller: a failure counts even if its right has ended. */
const byService = serviceOrigin('identity');

type Attempts = { running: number; ended: number };

export function createThrottle({ database, limiter, limits: { account: limit } }: Deps) {
  const inTurn = createTurns();
  const accounts = new Map<string, Attempts>();

  async function whileCounted<T>(emailKey: string, work: (all: Attempts) => Promise<T>) {
    const all = accounts.get(emailKey) ?? { running: 0, ended: 0 };
    accounts.set(emailKey, all);
    all.running++;
    try {
      return await work(all);
    } finally {
      if (--all.running === 0) accounts.delete(emailKey);
    }
  }

  /**
   * Counts an attempt and reads its account and failures. Counted per network too: otherwise a
   * stranger who keeps trying could lock out the user at home.
   */
  async function begin(emailKey: string, network: string, isAlone: boolean): Promise<Attempt> {
    if (isAlone) {
      const attempt = await findAttempt(database, byService, emailKey, network, limit.seconds);
      assertWithin(limit, attempt.counted);
      return attempt;
    }
    // Counted together with others: each would hold a connection while it waits in the database for
    // the lock of the count.
    const attempt = await findAttempt(database, byService, emailKey, network, 0);
    await limiter.take(`login ${countKeyOf(emailKey, attempt)}`, limit);
    return attempt;
  }

  function attempt(
    key: string,
    { ip, reset }: { ip: string; reset: Reset },
    check: Check,
  ): Promise<boolean> {
    const until = waitUntil();
    const network = homeNetwork(ip);
    return whileCounted(key, async (all) => {
      const { ended } = all;
      const first = await begin(key, network, all.running === 1);
      return inTurn(countKeyOf(key, first), until, async () => {
        try {
          // An attempt that ended since then may have counted a failure.
          const current =
            all.ended === ended ? first : await findAttempt(database, byService, key, network, 0);
          assertAllowed(current, reset);
          const holds = await check(current.account, until);
          if (!holds) await countFailure(database, byService, key, current.network);
          return holds;
        } finally {
          all.ended++;
        }
      });
    });
  }

  return {
    /**
     * Runs a password check of an account, unless it has too many failures. `check` returns whether
     * the password is right, and waits no longer than `until`. @throws resource_exhausted if the
     * attempt has waited that long for its turn; it counts as no failure, since nothing was compared
     */
    attempt: (emailKey: string, ip: string, check: Check) =>
      attempt(emailKey, { ip, reset: 'password' }, check),

    /**
     * Runs a check of a second factor of a user, unless there were too many failures. They are
     * counted apart for each network in which the user has used a factor. A password reset clears
     * no count: a client that can guess codes has the password already, and may have it from the
     * user's mail.
     */
    attemptFactor: (userId: string, ip: string, check: () => Promise<boolean>) =>
      attempt(factorKey(userId), { ip, reset: 'second factors' }, check),
  };
}

/** The account and network that an attempt counts for, as its statement names them. */
const countKeyOf = (emailKey: string, { network }: Attempt): string => `${emailKey} ${network}`;

/** The next step after too many failures. */
const nextSteps = {
  password: 'reset the password',
  'second factors': 'ask for a reset of the second factors',
};
type Reset = keyof typeof nextSteps;

/** @throws resource_exhausted for an account with too many failures. `reset`: what helps then. */
function assertAllowed({ failures, wait }: Attempt, reset: Reset): void {
  if (failures >= hardStop)
    throw exhausted(
      `too many failed sign-ins, ${nextSteps[reset]}`,
      longestWaitSeconds,
      'RESET_REQUIRED',
      { Reset: reset },
    );
  if (wait > 0)
    throw exhausted('too many failed sign-ins, try again later', wait, 'SIGN_INS_FAILED');
}

/**
 * One attempt at a time for an account and network in this process. Otherwise two hundred
 * concurrent guesses would all pass before the first is counted.
 */
function createTurns() {
  const lanes = new Map<string, ReturnType<typeof createLane>>();
  return async <T>(key: string, until: number, work: () => Promise<T>): Promise<T> => {
    const lane = lanes.get(key) ?? createLane(1);
    lanes.set(key, lane);
    try {
      return await lane.run(work, { until });
    } finally {
      if (lane.isIdle()) lanes.delete(key);
    }
  };
}
