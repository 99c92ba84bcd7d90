import type { Log } from '../log.ts';
import type { Database } from '../orm.ts';
import type { KeyService } from './key-service.ts';
import { firstPlace, type KeyPlace, setWrapping, takeWrappedByOthers } from './queries.ts';

// When another key-encryption key has become the current one, the data keys are wrapped by it. What is sealed with them
// is not touched, and whoever has one at hand goes on with it.

export type RewrapDeps = { database: Database; service: KeyService; log: Log };

/** Few enough that the rows are not held for long, however far away the key service is. */
const atOnce = 20;

/** Wraps with the current key-encryption key the data keys that others wrap. Any number of processes may do so at once. */
export async function rewrapAll(
  { database, service, log }: RewrapDeps,
  isStopped: () => boolean,
): Promise<void> {
  const kek = await service.current();
  const rewrapSome = (after: KeyPlace) =>
    database.transaction(null, async (em) => {
      const stored = await takeWrappedByOthers(em, kek, after, atOnce);
      const wrapped = await Promise.allSettled(
        stored.map(async ({ tenant, id, ...key }) => ({
          tenant,
          id,
          ...(await service.wrap(await service.unwrap(key, [tenant, id]), [tenant, id])),
        })),
      );
      for (const [index, result] of wrapped.entries()) {
        if (result.status === 'fulfilled') await setWrapping(em, result.value);
        // One that cannot be unwrapped does not keep the others from it.
        else
          log.error('a data key could not be wrapped anew', {
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
