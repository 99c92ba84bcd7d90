import { type Database } from '@bailiwick/database';
import { isImported } from '../passwords/imported/imported.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { hasImportedHashes } from '../passwords/queries.ts';
import { createFloor } from './response-floor.ts';

/** Above a comparison with most imported hashes, on an idle machine. */
const limits = { leastMs: 500, mostMs: 5000 } as const;

type Deps = { database: Database; passwords: Pick<Passwords, 'compare' | 'passImported'> };

/**
 * Returns a function that compares the password of a sign-in with the hash of its account. A hash of
 * another system takes longer to compare than ours, and waits in a lane of its own. So while users
 * have such hashes, each wrong password waits in both lanes, and then as if the comparison had taken
 * as long as a floor: otherwise the time of the answer would tell which addresses have an account.
 */
export function createMissFloor({ database, passwords }: Deps) {
  const start = createFloor(limits);
  return async (stored: string | null | undefined, password: string): Promise<boolean> => {
    const response = start();
    const { holds, ms } = await passwords.compare(stored, password);
    if (holds) return true;
    response.note(isImported(stored), ms);
    if (!(await hasImportedHashes(database))) return false;
    if (!isImported(stored)) await passwords.passImported();
    await response.wait(ms);
    return false;
  };
}

export type ComparePassword = ReturnType<typeof createMissFloor>;
