import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { expireInvitation, takeOverdue } from './queries.ts';
import { expiryOrigin, recordInvitation } from './records.ts';

const intervalMs = 5000;
const batch = 100;
/** Rounds between two sweeps of rate limit counts: as often as in identity. */
const roundsPerSweep = 120;

/**
 * Records the expiry of invitations, once on any number of replicas. Nothing else depends on it:
 * every use of an invitation checks its expiry.
 */
export function createInvitationSweeper(
  { database, limiter }: { database: Database; limiter: Limiter },
  log: Log,
): Background {
  let rounds = 0;
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'recording expired invitations failed, retrying',
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
      recordInvitation(em, expiryOrigin, 'invitation.expired', row, {
        previous: { Status: 'pending' },
      });
  }
  return overdue.length;
}
