import { serviceOrigin } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import { deleteExpiredSuppressions } from './email/queries.ts';
import { forgetPublished, nameSeconds } from './events/queries.ts';
import { deleteExpiredMessages, deleteForgotten } from './messages/queries.ts';
import { deleteExpiredPortals } from './portals/queries.ts';
import { deleteOldHours } from './stats/queries.ts';
import { erasePreviousSecrets } from './webhooks/queries.ts';

const intervalMs = 15_000;

const batch = 5000;

type Deps = { database: Database; limiter: Limiter; deliveryBodyHours: number; log: Log };

const byService = serviceOrigin('notifications');

/**
 * Erases expired data. Correctness does not depend on it: every reader checks the expiry itself.
 */
export function createSweeper({ database, limiter, deliveryBodyHours, log }: Deps): Background {
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'erasing expired data failed',
    async work(isStopped) {
      await Promise.all([
        erasePreviousSecrets(database, byService),
        forgetPublished(database, byService, nameSeconds),
        deleteExpiredSuppressions(database, byService),
        deleteExpiredPortals(database, byService),
        limiter.sweep(),
      ]);
      // One transaction per batch: the database cancels long statements.
      while (
        !isStopped() &&
        (await database.transaction({ call: byService, tenant: null }, (tx) =>
          deleteForgotten(tx, batch),
        )) === batch
      );
      while (
        !isStopped() &&
        (await database.transaction({ call: byService, tenant: null }, (tx) =>
          deleteOldHours(tx, batch),
        )) === batch
      );
      while (
        !isStopped() &&
        (await database.transaction({ call: byService, tenant: null }, (tx) =>
          deleteExpiredMessages(tx, deliveryBodyHours, batch),
        )) === batch
      );
    },
  });
}
