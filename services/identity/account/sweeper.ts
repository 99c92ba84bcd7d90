import { serviceOrigin } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import { sweep, sweeps } from './queries.ts';

const byService = serviceOrigin('identity');
const intervalMs = 10 * 60 * 1000;
const batch = 5000;
const failed = 'removing expired rows failed, retrying';

/** Deletes expired rows. Nothing depends on it: every reader checks the expiry itself. */
export function createSweeper(
  { database, limiter }: { database: Database; limiter: Limiter },
  log: Log,
): Background {
  return repeat({
    everyMs: intervalMs,
    log,
    failed,
    work: (isStopped) => Promise.all([removeExpired(database, log, isStopped), limiter.sweep()]),
  });
}

/** Goes on with the next table if one fails. */
export async function removeExpired(
  database: Database,
  log: Log,
  isStopped = () => false,
): Promise<void> {
  for (const statement of sweeps) {
    try {
      while (!isStopped() && (await sweep(database, byService, statement, batch)) === batch);
    } catch (error) {
      log.warn(failed, { error, sweep: statement.name });
    }
  }
}
