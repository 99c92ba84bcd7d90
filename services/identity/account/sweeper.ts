import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { deleteExpired } from './queries.ts';

const intervalMs = 10 * 60 * 1000;

/** Removes expired rows. Nothing relies on it: whatever reads such a row asks for its expiry itself. */
export function createSweeper({ database, limiter }: { database: Database; limiter: Limiter }, log: Log): Background {
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'expired rows could not be removed',
    work: () => Promise.all([database.transaction(null, deleteExpired), limiter.sweep()]),
  });
}
