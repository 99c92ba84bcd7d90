import { serviceOrigin } from '@bailiwick/contract';
import type { Background } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import { type Announcements, watchRows } from '../../waiting-rows.ts';
import {
  findNextRelease,
  listReleasing,
  releaseParked,
  setRelease,
  takeReleasing,
} from './queries.ts';

type Deps = { database: Database; announcements: Announcements; log: Log };

const atOnce = 500;
const largest = 500;

/**
 * Releases the parked tasks of endpoints that can be sent to again: one task while the breaker is
 * half-open, then twice as many each time the previous ones were taken, so that the backlog does
 * not flood the endpoint. Any number of processes may run it.
 */
export const startRelease =
  ({ database, announcements, log }: Deps): Background =>
  () =>
    watchRows({
      announcements,
      log,
      failed: 'releasing parked tasks failed, retrying',
      async check(isStopped) {
        const nextMs = await findNextRelease(database);
        if (nextMs > 0) return nextMs;
        for (const { tenant, endpoint } of await listReleasing(database, atOnce)) {
          if (isStopped()) break;
          // One transaction per endpoint: an attempt that ends may wait for the endpoint's row.
          await database.transaction({ call: serviceOrigin('notifications'), tenant: null }, (tx) =>
            release(tx, tenant, endpoint),
          );
        }
        // The released tasks are due at once.
        announcements.announce();
        return 0;
      },
    });

async function release(tx: Transaction, tenant: string, endpoint: string): Promise<void> {
  const releasing = await takeReleasing(tx, tenant, endpoint);
  if (!releasing) return;
  const { size, pauseMs, rateLimit } = releasing;
  const inFlight = await releaseParked(
    tx,
    releasing,
    rateLimit > 0 ? Math.min(size, rateLimit) : size,
  );
  const grown = pauseMs === 0 && inFlight <= size / 2 ? Math.min(size * 2, largest) : size;
  await setRelease(tx, releasing, { size: grown, afterSeconds: rateLimit > 0 ? 1 : 0 });
}
