import type { Database } from '@bailiwick/store';
import { isImported, spellingsOf } from '../passwords/imported/imported.ts';
import type { Waiter } from '../passwords/imported-lane.ts';
import { createLookalikes } from '../passwords/lookalikes.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { Account } from '../passwords/queries.ts';
import { createFloor } from './response-floor.ts';

/** Above a comparison with most imported hashes, on an idle machine. */
const limits = { leastMs: 500, mostMs: 5000 } as const;

type Deps = {
  database: Database;
  passwords: Pick<Passwords, 'verify' | 'compareImported' | 'imitateImported'>;
};

/**
 * `key`: the key of the address. `hidesMatch`: a right password waits like a wrong one, since it may
 * be refused for another reason.
 */
type Attempt = { key: string; account: Account; password: string; hidesMatch?: boolean };

/**
 * Returns a function that compares the password of a sign-in with the hash of its account. A hash
 * of another system takes longer to compare than ours, waits in a lane of its own and is refused if
 * that lane is full. So while users have such hashes, some addresses without an account wait and
 * are refused as if they had one, and every wrong password is answered at a floor above these
 * comparisons. Otherwise the answer or its time would reveal which addresses have an account.
 */
export function createComparison({ database, passwords }: Deps) {
  const start = createFloor(limits);
  const lookalikes = createLookalikes(database);

  return async (
    { key, account, password, hidesMatch = false }: Attempt,
    waiter: Waiter,
  ): Promise<boolean> => {
    const { user, pendingHash } = account;
    const stored = user?.passwordHash ?? pendingHash;
    const hasImported = await lookalikes.exist();
    const response = start(spellingsOf(password).length);

    async function compare(): Promise<boolean> {
      if (typeof stored === 'string' && isImported(stored)) {
        const { holds, ms } = await passwords.compareImported(stored, password, waiter);
        // The waits are left out: comparisons that wait must not delay all other wrong passwords. A
        // call that has left the lane has compared nothing.
        if (!waiter.signal?.aborted) response.note(true, ms);
        return holds;
      }
      if (hasImported && user === undefined && (await lookalikes.has(key)))
        return passwords.imitateImported(stored, password, waiter);
      return passwords.verify(stored, password, waiter);
    }

    const holds = await compare();
    const waits = hasImported && (!holds || hidesMatch);
    if (waits && !waiter.signal?.aborted) await response.wait();
    return holds;
  };
}

export type ComparePassword = ReturnType<typeof createComparison>;
