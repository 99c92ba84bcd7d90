import { serviceOrigin } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import type { KeyService } from './key-service.ts';
import { firstPlace, type KeyPlace, setWrapping, takeWrappedByOthers } from './queries.ts';

// Rewraps data keys with a new current key-encryption key. Values sealed with the data keys stay
// unchanged, and processes keep using the data keys in their caches.

export type RewrapDeps = { database: Database; service: KeyService; log: Log };

/** Small, so that rows are not locked for long even if the key service is slow. */
const atOnce = 20;

/**
 * Rewraps all data keys that another key-encryption key wraps. Any number of processes may do so at
 * once.
 */
export async function rewrapAll(
  { database, service, log }: RewrapDeps,
  isStopped: () => boolean,
): Promise<void> {
  const kek = await service.current();
  const rewrapSome = (after: KeyPlace) =>
    database.transaction({ call: serviceOrigin(database.service), tenant: null }, async (tx) => {
      const stored = await takeWrappedByOthers(tx, kek, after, atOnce);
      const wrapped = await Promise.allSettled(
        stored.map(async ({ tenant, id, ...key }) => ({
          tenant,
          id,
          ...(await service.wrap(await service.unwrap(key, [tenant, id]), [tenant, id])),
        })),
      );
      for (const [index, result] of wrapped.entries()) {
        if (result.status === 'fulfilled') await setWrapping(tx, result.value);
        // A key that cannot be unwrapped does not block the others.
        else
          log.error('rewrapping a data key failed', {
            tenant: stored[index]?.tenant,
            dek: stored[index]?.id,
            kek: stored[index]?.kek,
            error: result.reason,
          });
      }
      return stored.at(-1);
    });
  for (let after: KeyPlace | undefined = firstPlace; after && !isStopped(); )
    after = await rewrapSome(after);
}
