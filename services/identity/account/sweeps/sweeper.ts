import { serviceOrigin } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter } from '@bailiwick/store';
import { randomStarts, sliceSweeps, sweep, sweepSlice, sweeps } from './queries.ts';

const byService = serviceOrigin('identity');
const intervalMs = 10 * 60 * 1000;
const batch = 5000;
/**
 * Rows of a table that one run examines without an index of their ends. The next run goes on behind
 * them, so that a run costs the same however many users there are.
 */
const examinedRows = 40 * batch;
const failed = 'removing expired rows failed, retrying';

/** The key of each table up to which its rows are examined, by sweep. */
type Places = Map<string, string>;

/** Deletes expired rows. Nothing depends on it: every reader checks the expiry itself. */
export function createSweeper(
  { database, limiter }: { database: Database; limiter: Pick<Limiter, 'sweep'> },
  log: Log,
): Background {
  // Processes begin at different keys: they share the work, and one that ends before it has examined
  // a large table leaves no part of it out.
  let places: Places | undefined;
  const work = async (isStopped: () => boolean) => {
    places ??= await randomStarts(database);
    await removeExpired(database, log, isStopped, places);
  };
  return repeat({
    everyMs: intervalMs,
    log,
    failed,
    work: (isStopped) => Promise.all([work(isStopped), limiter.sweep()]),
  });
}

/** Goes on with the next table if one fails. */
export async function removeExpired(
  database: Database,
  log: Log,
  isStopped = () => false,
  places: Places = new Map(),
): Promise<void> {
  const remove = async (name: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      log.warn(failed, { error, sweep: name });
    }
  };
  for (const statement of sweeps)
    await remove(statement.name, async () => {
      while (!isStopped() && (await sweep(database, byService, statement, batch)) === batch);
    });
  for (const statement of sliceSweeps)
    await remove(statement.name, () => examine(database, statement, isStopped, places));
}

/** Examines the next rows of a table, and begins again at its end. */
async function examine(
  database: Database,
  statement: (typeof sliceSweeps)[number],
  isStopped: () => boolean,
  places: Places,
): Promise<void> {
  for (let examined = 0; examined < examinedRows && !isStopped(); examined += batch) {
    const after = places.get(statement.name) ?? '';
    const { last, size } = await sweepSlice(database, byService, statement, after, batch);
    places.set(statement.name, size === batch ? last : '');
    if (size < batch) return;
  }
}
