import { record } from '@bailiwick/outbox';
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
      await database.transaction({ call, tenant: null, row: rowOf.user(call.caller.id) }, (tx) =>
        endSession(tx, call, id),
      );
      return {};
    },

    async revokeAll(_request, call) {
      await database.transaction(
        { call, tenant: null, row: rowOf.user(call.caller.id) },
        async (tx) => {
          // Locks the user before the sessions, to avoid deadlocks.
          await lockActive(tx, call.caller.id);
          await voidCodes(tx, call.caller.id);
          const sessions = await tx.em.find(SessionEntity, { userId: call.caller.id });
          for (const { id } of sessions) await endSession(tx, call, id);
        },
      );
      return {};
    },
  };
}

/**
 * Ends a session of the caller, those that take it on to applications, and its support session. Locks the user first: a
 * code that is being exchanged would otherwise leave its session behind. Does nothing for another
 * user's session or an ended one.
 */
export async function endSession(tx: Transaction, call: Call, id: string): Promise<void> {
  const { caller } = call;
  // Even if no session is found: the gateways may not know yet that another call has ended it.
  call.invalidates.add(`credential:${id}`);
  await lockActive(tx, caller.id);
  const sessions = await deleteSession(tx, caller.id, id);
  await recordSupportEnds(tx, sessions, ({ operator }) =>
    operator === caller.id ? 'operator_signed_out' : 'user_ended',
  );
  for (const ended of sessions) {
    record(tx, {
      tenant: '',
      type: 'session.revoked',
      data: { ID: ended.id, UserID: ended.userId },
      targets: [{ Type: 'session', ID: ended.id, Name: '' }],
    });
  }
}
