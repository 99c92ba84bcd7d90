import { type Database } from '@bailiwick/database';
import { hasImportedHashes } from '../passwords/queries.ts';
import { createFloor } from './response-floor.ts';

/** Above a comparison with most imported hashes, on an idle machine. */
const limits = { leastMs: 500, mostMs: 5000 } as const;

/**
 * Returns a function that starts the clock of a sign-in. A hash of another system takes longer to
 * compare than ours, so a wrong password is answered at a floor while users have such hashes:
 * otherwise the time of the answer would tell which addresses have an account.
 */
export function createMissFloor(database: Database) {
  const start = createFloor(limits);
  return () => {
    const response = start();
    /** Waits before a wrong password is answered. */
    return async (isImported: boolean): Promise<void> => {
      response.note(isImported);
      if (await hasImportedHashes(database)) await response.wait();
    };
  };
}

export type MissFloor = ReturnType<typeof createMissFloor>;
