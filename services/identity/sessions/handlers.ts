import { record, type Task } from '@bailiwick/outbox';
import type { Call, Handlers, Pager } from '@bailiwick/pipeline';
import type { Sessions } from '@bailiwick/proto/gen/bailiwick/identity/v1/sessions_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import { rowOf } from '../rows.ts';
import { lockActive } from '../users/lock.ts';
import { SessionEntity, sessionRecord } from './entities.ts';
import { listSessions } from './listed/queries.ts';
import { deleteSession, voidCodes } from './queries.ts';
import { recordSupportEnds } from './support/records.ts';

type Deps = { database: Database; pager: Pager };

export function sessionsHandlers({ database, pager }: Deps): Handlers<typeof Sessions> {
  return {
    async list({ page }, { caller, operation }) {
      const binding = [operation.name, caller.id];
      return pager.list(
        page,
        binding,
        (query) => listSessions(database, caller.id, query),
        (session) => sessionRecord(session, caller.credentialId),
      );
    },

    async revoke({ id }, call) {
      const userId = call.caller.id;
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, (tx) =>
        endSession(tx, call, { userId, id }),
      );
      return {};
    },

    async revokeAll(_request, call) {
      const userId = call.caller.id;
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, (tx) =>
        endAllSessions(tx, call, { userId }),
      );
      return {};
    },
  };
}

/**
 * A session to end, and how an operator's act is recorded. Its tasks follow if a session ends, or a
 * sign-in that is not complete.
 */
type SessionToEnd = {
  userId: string;
  id: string;
  /** The address of the user, if the caller is an operator. */
  email?: string;
  reason?: string;
  tasks?: readonly Task[];
};

/**
 * Ends all sessions of a user, and voids the sign-ins that are not complete. Without a session, the
 * record of these sign-ins is the trace of the act.
 */
export async function endAllSessions(
  tx: Transaction,
  call: Call,
  { tasks = [], ...rest }: Omit<SessionToEnd, 'id'>,
): Promise<void> {
  const { userId } = rest;
  // Locks the user before the sessions, to avoid deadlocks.
  await lockActive(tx, userId);
  const hasVoided = await voidCodes(tx, userId);
  const sessions = await tx.em.find(SessionEntity, { userId });
  let hasEnded = false;
  // One mail for all of them, with the first that ends: a session may have been deleted meanwhile.
  for (const { id } of sessions)
    if (await endSession(tx, call, { ...rest, id, ...(!hasEnded && { tasks }) })) hasEnded = true;
  if (!hasEnded && hasVoided) recordVoided(tx, { ...rest, tasks });
}

/** The entry of an act that has voided sign-ins and ended no session. It is no event. */
function recordVoided(
  tx: Transaction,
  { userId, email = '', reason = '', tasks = [] }: Omit<SessionToEnd, 'id'>,
): void {
  record(tx, {
    tenant: '',
    type: 'user.sign_ins_voided',
    data: null,
    targets: [{ Type: 'user', ID: userId, Name: email }],
    reason,
    tasks,
  });
}

/**
 * Ends a session of a user, those that take it on to applications, and its support session. Locks the
 * user first: a code that is being exchanged would otherwise leave its session behind. Does nothing
 * for another user's session or an ended one. Returns whether a session has ended.
 */
export async function endSession(
  tx: Transaction,
  call: Call,
  { userId, id, email, reason = '', tasks = [] }: SessionToEnd,
): Promise<boolean> {
  // Even if no session is found: the gateways may not know yet that another call has ended it.
  call.invalidates.add(`credential:${id}`);
  await lockActive(tx, userId);
  const sessions = await deleteSession(tx, userId, id);
  const byUser = call.caller.type === 'user' && call.caller.id === userId;
  await recordSupportEnds(tx, sessions, ({ operator }) => {
    if (operator === userId) return 'operator_signed_out';
    return byUser ? 'user_ended' : 'user_signed_out';
  });
  for (const [index, ended] of sessions.entries()) {
    record(tx, {
      tenant: '',
      type: 'session.revoked',
      data: { ID: ended.id, UserID: ended.userId },
      targets: [
        { Type: 'session', ID: ended.id, Name: '' },
        ...(email === undefined ? [] : [{ Type: 'user', ID: userId, Name: email }]),
      ],
      reason,
      ...(index === 0 && { tasks }),
    });
  }
  return sessions.length > 0;
}
