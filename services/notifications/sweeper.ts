import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { deleteExpiredSuppressions } from './email/queries.ts';
import { nameSeconds } from './events/publish.ts';
import { forgetPublished } from './events/queries.ts';
import { erasePreviousSecrets } from './webhooks/queries.ts';

const intervalMs = 15_000;

/** Erases what has had its time. Nothing relies on it: whatever reads such a thing asks for its time itself. */
export function createSweeper({
  database,
  limiter,
  log,
}: {
  database: Database;
  limiter: Limiter;
  log: Log;
}): Background {
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'what has had its time could not be erased',
    work: () =>
      Promise.all([
        erasePreviousSecrets(database),
        forgetPublished(database, nameSeconds),
        deleteExpiredSuppressions(database),
        limiter.sweep(),
      ]),
  });
}
