import { createId, createToken, tokenHash } from '@bailiwick/contract';
import { failedPrecondition, unauthenticated } from '@bailiwick/errors';
import { noticeTask } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { SupportStartRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/support_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { assertProven } from '../factors/changes.ts';
import { rowOf } from '../rows.ts';
import { SessionEntity, sessionRecord } from '../sessions/entities.ts';
import { findLiveSessionById, proofOf } from '../sessions/live/queries.ts';
import { deleteSupportOf, supportHash } from '../sessions/support/queries.ts';
import { recordSupport, recordSupportEnds } from '../sessions/support/records.ts';
import { assertMayActAs } from '../users/acting.ts';
import { type UserRow, userRecord } from '../users/entities.ts';
import { lockActive, lockExisting } from '../users/lock.ts';

export type SupportDeps = {
  database: Database;
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants' | 'mayActAs'>;
};

const defaultMinutes = 15;

/** Opens a support session of a user for the operator who calls. */
export async function startSupport(
  deps: SupportDeps,
  { userId, reason, minutes = defaultMinutes }: SupportStartRequest,
  call: Call,
) {
  const { database, authority } = deps;
  const { caller } = call;
  if (userId === caller.id)
    throw failedPrecondition('support access to your own account is not possible', 'OWN_ACCOUNT');
  await assertMayActAs(deps, userId, call);
  const { tenants } = await authority.listUserTenants({ userId }, call);
  const terms = { tenants: tenants.map(({ id }) => id), reason: reason.trim(), minutes };
  // Even without an earlier support session: the call that has ended it may not have replied yet.
  call.invalidates.add(`user:${caller.id}`);
  return database.transaction({ call, tenant: null, row: rowOf.user(caller.id) }, async (tx) => {
    const { operator, user } = await lockBoth(tx, caller.id, userId);
    await assertProven(tx.query, call.caller);
    const assurance = await assuranceOf(deps, operator, call);
    const earlier = await deleteSupportOf(tx, caller.id);
    await recordSupportEnds(tx, earlier, () => 'replaced');
    return open(tx, call, { operator, user, assurance, ...terms });
  });
}

/**
 * Locks the operator and the user, in the order of their ids: two operators who start access to each
 * other would deadlock otherwise.
 */
async function lockBoth(tx: Transaction, operatorId: string, userId: string) {
  const lockOperator = async () => {
    const operator = await lockActive(tx, operatorId);
    // The operator was disabled meanwhile.
    if (!operator) throw unauthenticated();
    return operator;
  };
  if (operatorId < userId)
    return { operator: await lockOperator(), user: await lockUser(tx, userId) };
  const user = await lockUser(tx, userId);
  return { operator: await lockOperator(), user };
}

async function lockUser(tx: Transaction, id: string): Promise<UserRow> {
  const user = await lockExisting(tx, id);
  if (user.status !== 'active' || !user.emailVerified)
    throw failedPrecondition('the user is disabled or has no verified address', 'USER_INACTIVE');
  return user;
}

/** The assurance of the operator's own session, and its end. */
async function assuranceOf({ database }: SupportDeps, operator: UserRow, call: Call) {
  const session = await findLiveSessionById(database, call.caller.credentialId);
  if (session?.user_id !== operator.id) throw unauthenticated();
  // A provider's word about its own factors counts in its own tenant only.
  const { assurance, ownAssurance, ssoTenant } = proofOf(session);
  return { proven: ssoTenant === '' ? assurance : ownAssurance, until: session.expires_at };
}

type NewSupport = {
  operator: UserRow;
  user: UserRow;
  assurance: { proven: string; until: string };
  tenants: readonly string[];
  reason: string;
  minutes: number;
};

function open(
  tx: Transaction,
  call: Call,
  { operator, user, assurance, tenants, reason, minutes }: NewSupport,
) {
  const token = createToken('support');
  const { ip, userAgent, credentialId: operatorSession } = call.caller;
  const now = new Date();
  // It ends with the operator's own session at the latest.
  const end = Math.min(now.getTime() + minutes * 60_000, new Date(assurance.until).getTime());
  const stored = tx.em.create(SessionEntity, {
    id: createId('ses'),
    userId: user.id,
    tokenHash: supportHash(tokenHash(token)),
    authMethod: 'support',
    assurance:
      assurance.proven === 'aal2' || assurance.proven === 'phishing_resistant'
        ? assurance.proven
        : 'aal1',
    provider: '',
    ip,
    userAgent,
    createdAt: now,
    provenAt: null,
    lastSeenAt: now,
    expiresAt: new Date(end),
    idleMinutes: minutes,
    operator: operator.id,
    operatorSession,
    reason,
    toldTenants: [...tenants],
  });
  tx.em.persist(stored);
  const session = sessionRecord({ ...stored, limitedTo: '' }, '');
  const mail = {
    locale: user.locale,
    operatorName: operator.name || operator.email,
    reason,
    time: stored.expiresAt.toISOString(),
  };
  recordSupport(tx, {
    type: 'session.support_started',
    session,
    email: user.email,
    tenants,
    tasks: [noticeTask('support_started', user.email, mail)],
  });
  return { token, session, user: userRecord(user) };
}
