import type { Log } from '@bailiwick/shared/log.ts';
import type { Database, EntityManager } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { listReleasing, releaseParked, setRelease, takeReleasing } from './queries.ts';

const everyMs = 250;
const atOnce = 500;
const largest = 500;

/**
 * Lets go of what was kept back for endpoints that can be sent to again: one task where the endpoint has yet to prove itself, then
 * twice as many each time that those before have been taken, so that it is not drowned in what has gathered. Any number of processes
 * may run it.
 */
export function startRelease({ database, log }: { database: Database; log: Log }): Background {
  return repeat({
    everyMs,
    log,
    failed: 'what was kept back could not be let go, it is tried again',
    async work(isStopped) {
      for (const { tenant, endpoint } of await listReleasing(database, atOnce)) {
        if (isStopped()) return;
        // One at a time: the end of an attempt may wait for its endpoint's row.
        await database.transaction(null, (em) => release(em, tenant, endpoint));
      }
    },
  });
}

async function release(em: EntityManager, tenant: string, endpoint: string): Promise<void> {
  const releasing = await takeReleasing(em, tenant, endpoint);
  if (!releasing) return;
  const { size, pauseMs, rateLimit } = releasing;
  const underWay = await releaseParked(
    em,
    releasing,
    rateLimit > 0 ? Math.min(size, rateLimit) : size,
  );
  const grown = pauseMs === 0 && underWay <= size / 2 ? Math.min(size * 2, largest) : size;
  await setRelease(em, releasing, { size: grown, afterSeconds: rateLimit > 0 ? 1 : 0 });
}
