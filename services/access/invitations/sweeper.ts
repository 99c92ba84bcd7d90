import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { expireInvitation, takeOverdue } from './queries.ts';
import { byTime, recordInvitation } from './records.ts';

const intervalMs = 5000;
const batch = 100;
/** Counts of rate limits are swept as seldom as identity's are. */
const roundsPerSweep = 120;

/**
 * Tells of invitations whose time has passed, each once however many replicas run this. Nothing else relies on it:
 * whatever consumes an invitation asks for its expiry itself.
 */
export function createInvitationSweeper(
  { database, limiter }: { database: Database; limiter: Limiter },
  log: Log,
): Background {
  let rounds = 0;
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'expired invitations could not be told of, it is tried again',
    async work(isStopped) {
      while (!isStopped() && (await database.transaction(null, expireBatch)) === batch);
      if (++rounds % roundsPerSweep === 0) await limiter.sweep();
    },
  });
}

async function expireBatch(em: EntityManager): Promise<number> {
  const run = inTransaction(em);
  const overdue = await takeOverdue(run, batch);
  for (const { tenant, id } of overdue) {
    const row = await expireInvitation(run, tenant, id);
    if (row)
      recordInvitation(em, byTime, 'invitation.expired', row, { previous: { Status: 'pending' } });
  }
  return overdue.length;
}
