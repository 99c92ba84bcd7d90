import { serviceOrigin } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import { sweepConsents } from './app-sign-ins/queries.ts';
import { sweepSignOuts } from './app-sign-ins/sign-outs/queries.ts';
import { erasePreviousSecrets } from './apps/queries.ts';
import { sweepHandled } from './domains/joining/queries.ts';
import { sweepIssuer } from './issuer/queries.ts';
import { sweepReservations } from './providers/reservations/queries.ts';
import { sweepSignIns } from './sign-in/queries.ts';

const intervalMs = 60_000;
const byService = serviceOrigin('sso');

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
    work: (isStopped) =>
      Promise.all([
        sweepSignIns(database, byService),
        sweepHandled(database, byService),
        erasePreviousSecrets(database, byService),
        sweepIssuer(database, byService),
        sweepConsents(database, byService),
        sweepSignOuts(database, byService, isStopped),
        sweepReservations(database, byService),
        limiter.sweep(),
      ]),
  });
}
