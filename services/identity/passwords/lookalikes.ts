import { createHmac } from 'node:crypto';
import { createCache } from '@bailiwick/broker';
import type { Database } from '@bailiwick/store';
import { findImportedShare, hasImportedHashes } from './queries.ts';

// While users have hashes of other systems, their sign-ins wait longer and are refused earlier than
// others. The same share of the addresses without an account does so too, chosen by a keyed hash:
// an address that waits or is refused is as likely to have an account as any other.

/** Whether there are imported hashes is read again after this time, and their share after this. */
const [existMs, shareMs] = [2000, 60_000];

/** Decides which addresses without an account are treated as if they had an imported hash. */
export function createLookalikes(database: Database) {
  const existing = createCache<boolean>({ size: 1, lifetimeMs: existMs });
  const shares = createCache<{ share: number; key: Uint8Array }>({ size: 1, lifetimeMs: shareMs });
  return {
    /** Whether users have imported hashes. */
    exist: (): Promise<boolean> => existing.getOrLoad('', () => hasImportedHashes(database)),
    has: async (emailKey: string): Promise<boolean> => {
      const { share, key } = await shares.getOrLoad('', () => findImportedShare(database));
      return placeOf(key, emailKey) < share;
    },
  };
}

/**
 * The place of an address between 0 and 1, the same in every process. As the share falls, addresses
 * leave it one by one and none returns, as the accounts do that renew their hashes.
 */
const placeOf = (key: Uint8Array, emailKey: string): number =>
  createHmac('sha256', key).update(emailKey).digest().readUInt32BE() / 2 ** 32;
