import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import { sweepConsents } from './app-sign-ins/queries.ts';
import { erasePreviousSecrets } from './apps/queries.ts';
import { sweepHandled } from './domains/joining/queries.ts';
import { sweepIssuer } from './issuer/queries.ts';
import { sweepSignIns } from './sign-in/queries.ts';

const intervalMs = 60_000;

/**
 * Erases expired data. Correctness does not depend on it: every reader checks the expiry itself.
 */
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
    failed: 'erasing expired data failed',
    work: () =>
      Promise.all([
        sweepSignIns(database),
        sweepHandled(database),
        erasePreviousSecrets(database),
        sweepIssuer(database),
        sweepConsents(database),
        limiter.sweep(),
      ]),
  });
}
