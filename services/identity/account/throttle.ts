import { exhausted } from '@bailiwick/shared/errors.ts';
import { homeNetwork, type Limit, type Limiter } from '@bailiwick/shared/limits.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { countFailure, findFailures, longestWaitSeconds } from './queries.ts';

// Guessing. Consecutive failures are counted for the account and, apart from it, for each network that has signed in to
// it before: guesses from elsewhere then never lock out the person at home. Unknown addresses are counted like accounts,
// so a lock tells nothing. A reset clears everything: no lock is permanent.

/** Beyond these only a reset or single sign-on opens the account again. */
const hardStop = 100;

export type Throttle = ReturnType<typeof createThrottle>;

type Deps = { database: Database; limiter: Limiter; limits: { account: Limit } };

export function createThrottle({ database, limiter, limits }: Deps) {
  const queues = new Map<string, Promise<unknown>>();

  // One attempt at a time for an account and network in this process: otherwise two hundred guesses that are sent at once would
  // all pass before the first of them has been counted.
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
    /** Runs a password check of an account, unless there were too many failures. `check` says whether it held. */
    async attempt(emailKey: string, ip: string, check: () => Promise<boolean>): Promise<boolean> {
      const network = (await findFailures(database, emailKey, homeNetwork(ip)))?.network ?? '';
      // Also these are counted apart: a stranger who only keeps asking would otherwise shut the person at home out.
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
