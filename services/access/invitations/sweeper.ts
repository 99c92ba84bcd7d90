import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import { expireInvitation, takeOverdue } from './queries.ts';
import { expiryOrigin, recordInvitation } from './records.ts';

const intervalMs = 5000;
const batch = 100;

/**
 * Records the expiry of invitations, once on any number of replicas. Nothing else depends on it:
 * every use of an invitation checks its expiry.
 */
export function createInvitationSweeper(database: Database, log: Log): Background {
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'recording expired invitations failed, retrying',
    async work(isStopped) {
      while (
        !isStopped() &&
        (await database.transaction({ call: expiryOrigin, tenant: null }, expireBatch)) === batch
      );
    },
  });
}

async function expireBatch(tx: Transaction): Promise<number> {
  const run = tx.query;
  const overdue = await takeOverdue(run, batch);
  for (const { tenant, id } of overdue) {
    const row = await expireInvitation(run, tenant, id);
    if (row)
      recordInvitation(tx, 'invitation.expired', row, {
        previous: { Status: 'pending' },
      });
  }
  return overdue.length;
}
