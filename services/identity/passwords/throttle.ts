import { type Database } from '@bailiwick/database';
import { exhausted } from '@bailiwick/errors';
import { homeNetwork, type Limit, type Limiter } from '@bailiwick/limits';
import { countFailure, findFailures, longestWaitSeconds } from './queries.ts';

// Limits password guessing. Consecutive failures are counted per account, and apart from that for
// each network with an earlier sign-in, so that guesses from elsewhere do not lock out the user at
// home. Unknown addresses are counted like accounts, so a lock reveals nothing. A password reset
// clears all counts: no lock is permanent.

/** From this many failures on, only a password reset or SSO opens the account again. */
const hardStop = 100;

export type Throttle = ReturnType<typeof createThrottle>;

type Deps = { database: Database; limiter: Limiter; limits: { account: Limit } };

export function createThrottle({ database, limiter, limits }: Deps) {
  const queues = new Map<string, Promise<unknown>>();

  // One attempt at a time for an account and network in this process. Otherwise two hundred
  // concurrent guesses would all pass before the first is counted.
  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = queues.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    queues.set(key, settled);
    try {
      return await mine;
    } finally {
      if (queues.get(key) === settled) queues.delete(key);
    }
  }

  return {
    /**
     * Runs a password check of an account, unless it has too many failures. `check` returns whether
     * the password is right.
     */
    async attempt(emailKey: string, ip: string, check: () => Promise<boolean>): Promise<boolean> {
      const network = (await findFailures(database, emailKey, homeNetwork(ip)))?.network ?? '';
      // Counted per network too: otherwise a stranger who keeps trying could lock out the user at
      // home.
      await limiter.take(`login ${emailKey} ${network}`, limits.account);
      return inTurn(`${emailKey} ${network}`, async () => {
        const state = await findFailures(database, emailKey, homeNetwork(ip));
        if (state && state.failures >= hardStop)
          throw exhausted('too many failed sign-ins, reset the password', longestWaitSeconds);
        if (state?.wait) throw exhausted('too many failed sign-ins, try again later', state.wait);
        const holds = await check();
        if (!holds) await countFailure(database, emailKey, state?.network ?? '');
        return holds;
      });
    },
  };
}
