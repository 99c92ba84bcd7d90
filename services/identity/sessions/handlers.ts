import { type Database, type EntityManager } from '@bailiwick/database';
import { recordChange } from '@bailiwick/events';
import type { Sessions } from '@bailiwick/proto/gen/bailiwick/identity/v1/sessions_pb.ts';
import { type Call, type Handlers, type Pager } from '@bailiwick/rpc';
import { lockActive } from '../users/lock.ts';
import { SessionEntity, sessionRecord } from './entities.ts';
import { listSessions, voidCodes } from './queries.ts';

type Deps = { database: Database; pager: Pager };

export function sessionsHandlers({ database, pager }: Deps): Handlers<typeof Sessions> {
  return {
    async list({ page }, { caller, operation }) {
      const binding = [operation.name, caller.id];
      const query = pager.read(page, binding);
      const rows = await listSessions(database, caller.id, query);
      const { items, nextCursor } = pager.cut(rows, query, binding, ({ id }) => id);
      return {
        page: {
          items: items.map((session) => sessionRecord(session, caller.credentialId)),
          nextCursor,
        },
      };
    },

    async revoke({ id }, call) {
      await database.transaction({ tenant: null, row: `user ${call.caller.id}` }, (em) =>
        endSession(em, call, id),
      );
      return {};
    },

    async revokeAll(_request, call) {
      await database.transaction({ tenant: null, row: `user ${call.caller.id}` }, async (em) => {
        // Locks the user before the sessions, like every operation that ends several sessions, to
        // avoid deadlocks.
        await lockActive(em, call.caller.id);
        await voidCodes(em, call.caller.id);
        const sessions = await em.find(SessionEntity, { userId: call.caller.id });
        for (const { id } of sessions) await endSession(em, call, id);
      });
      return {};
    },
  };
}

/** Ends a session of the caller. Does nothing for another user's session or an ended one. */
export async function endSession(em: EntityManager, call: Call, id: string): Promise<void> {
  const ended = await em.nativeDelete(SessionEntity, { id, userId: call.caller.id });
  if (ended === 0) return;
  call.invalidates.add(`credential:${id}`);
  const data = { ID: id, UserID: call.caller.id };
  recordChange(em, call, {
    tenant: '',
    type: 'session.revoked',
    data,
    targets: [{ Type: 'session', ID: id, Name: '' }],
  });
}
