import type { Transaction } from '@bailiwick/store';
import { lockPending, settleInvitation } from './queries.ts';
import { recordInvitation } from './records.ts';

/** Revokes the pending invitation. Does nothing if no invitation is pending. */
export async function revokeInvitation(
  tx: Transaction,
  tenant: string,
  emailKey: string,
): Promise<void> {
  const run = tx.query;
  const row = await lockPending(run, tenant, emailKey);
  const revoked = row && (await settleInvitation(run, row, { status: 'revoked' }));
  if (revoked)
    recordInvitation(tx, 'invitation.revoked', revoked, { previous: { Status: 'pending' } });
}
