import { type Database } from '@bailiwick/database';
import { isImported } from '../passwords/imported/imported.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { hasImportedHashes } from '../passwords/queries.ts';
import { createFloor } from './response-floor.ts';

/** Above a comparison with most imported hashes, on an idle machine. */
const limits = { leastMs: 500, mostMs: 5000 } as const;

type Deps = { database: Database; passwords: Pick<Passwords, 'compare' | 'passImported'> };

/**
 * Returns a function that compares the password of a sign-in with the hash of its account. A hash
 * of another system takes longer to compare than ours, and waits in a lane of its own. So while
 * users have such hashes, each wrong password waits in both lanes, and is answered at a floor that
 * covers the second lane. Otherwise the time of this answer, or of another one at the same time,
 * would reveal which addresses have an account.
 */
export function createMissFloor({ database, passwords }: Deps) {
  const start = createFloor(limits);
  return async (
    stored: string | null | undefined,
    password: string,
    signal?: AbortSignal,
  ): Promise<boolean> => {
    const response = start();
    const { holds, ms } = await passwords.compare(stored, password, signal);
    if (holds) return true;
    if (!(await hasImportedHashes(database))) return false;
    const took = isImported(stored) ? ms : ms + (await passwords.passImported(signal));
    // A call that has left the lane is a wrong password of an unknown duration.
    if (signal?.aborted) return false;
    response.note(isImported(stored), took);
    await response.wait(took);
    return false;
  };
}

export type ComparePassword = ReturnType<typeof createMissFloor>;
