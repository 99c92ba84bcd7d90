import { leaseMs } from '@bailiwick/broker';
import { hasPermission, lastsOf, type Origin, serviceOrigin } from '@bailiwick/contract';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { findLiveSessionById, type LiveSession, proofOf } from '../sessions/live/queries.ts';
import { deleteSupport, type OpenSupport } from '../sessions/support/queries.ts';
import { type EndCause, recordSupportEnds } from '../sessions/support/records.ts';

// The ends of support sessions that no call of the operator or the user makes. Each is stored: a
// session whose operator loses the permission does not come back with it.

const byService = serviceOrigin('identity');

export type EndDeps = {
  database: Database;
  authority: Pick<PeerClient<typeof Authority>, 'effective' | 'listUserTenants'>;
};

/**
 * The operator's own session, and how long the operator's rights stay the same without a change, if
 * the operator may still act as a user; else why not.
 */
export async function operatorOf(
  {
    database,
    authority,
  }: Pick<EndDeps, 'database'> & {
    authority: Pick<EndDeps['authority'], 'effective'>;
  },
  { operator, operatorSession }: Pick<OpenSupport, 'operator' | 'operatorSession'>,
  call: Origin,
): Promise<{ own: LiveSession; unchangedMs: number } | { cause: EndCause }> {
  const own = await findLiveSessionById(database, operatorSession);
  if (own?.user_id !== operator) return { cause: 'operator_signed_out' };
  const rights = await authority.effective(
    {
      principalType: 'user',
      principalId: operator,
      ...proofOf(own),
    },
    call,
  );
  return hasPermission(rights.platformPermissions, 'iam.platform.support.act')
    ? { own, unchangedMs: lastsOf(rights, leaseMs) }
    : { cause: 'permission_lost' };
}

/** Stores the end of a support session with its cause. Does nothing if it is stored. */
export async function endSupport(
  { database }: Pick<EndDeps, 'database'>,
  { id }: Pick<OpenSupport, 'id'>,
  cause: EndCause,
): Promise<void> {
  await database.transaction({ call: byService, tenant: null }, async (tx) =>
    recordSupportEnds(tx, await deleteSupport(tx, id), () => cause),
  );
}

/** Ends the support session if something that it depends on has ended. */
export async function endIfDue(deps: EndDeps, session: OpenSupport): Promise<void> {
  const cause = await causeOf(deps, session);
  if (cause !== undefined) await endSupport(deps, session, cause);
}

async function causeOf(deps: EndDeps, session: OpenSupport): Promise<EndCause | undefined> {
  if (!session.isLive) return 'expired';
  const operator = await operatorOf(deps, session, byService);
  if ('cause' in operator) return operator.cause;
  const { userId, toldTenants } = session;
  const { suspended } = await deps.authority.listUserTenants(
    { userId, withSuspended: true },
    byService,
  );
  return suspended.some(({ id }) => toldTenants.includes(id)) ? 'tenant_suspended' : undefined;
}
