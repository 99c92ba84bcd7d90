import type { Call } from '@bailiwick/pipeline';
import { type EntityManager, inTransaction } from '@bailiwick/store';
import { lockPending, settleInvitation } from './queries.ts';
import { recordInvitation } from './records.ts';

/** Revokes the pending invitation. Does nothing if no invitation is pending. */
export async function revokeInvitation(
  em: EntityManager,
  tenant: string,
  emailKey: string,
  call: Call,
): Promise<void> {
  const run = inTransaction(em);
  const row = await lockPending(run, tenant, emailKey);
  const revoked = row && (await settleInvitation(run, row, { status: 'revoked' }));
  if (revoked)
    recordInvitation(em, call, 'invitation.revoked', revoked, { previous: { Status: 'pending' } });
}
