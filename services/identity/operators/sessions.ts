import { notFound } from '@bailiwick/errors';
import type { Call, Handlers, Pager } from '@bailiwick/pipeline';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Database, onPool, type Transaction } from '@bailiwick/store';
import { factorRecord } from '../factors/handlers.ts';
import { countCodes, listFactors } from '../factors/queries.ts';
import { rowOf } from '../rows.ts';
import { sessionRecord } from '../sessions/entities.ts';
import { endAllSessions, endSession } from '../sessions/handlers.ts';
import { listSessions } from '../sessions/listed/queries.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { operatorNotice, provenOperator } from './acts.ts';

type Deps = { database: Database; pager: Pager };

/** How the end of sessions is recorded: with the operator's reason, and the mail about it. */
type Ending = { email: string } & ReturnType<typeof operatorNotice>;

/** The sessions and factors of another user, for operators. */
export function accessHandlers({
  database,
  pager,
}: Deps): Pick<
  Handlers<typeof Users>,
  'listSessions' | 'revokeSession' | 'revokeAllSessions' | 'listFactors'
> {
  async function revoke(
    { userId, reason }: { userId: string; reason: string },
    call: Call,
    end: (tx: Transaction, ending: Ending) => Promise<unknown>,
  ) {
    const operator = await provenOperator(database, userId, reason, call);
    await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
      const user = await lockExisting(tx, userId);
      const notice = operatorNotice(operator, 'sessions_ended', user);
      await end(tx, { email: user.email, ...notice });
    });
    return {};
  }

  return {
    async listSessions({ userId, page }, { caller, operation }) {
      await assertUser(database, userId);
      const binding = [operation.name, userId];
      return pager.list(
        page,
        binding,
        (query) => listSessions(database, userId, query),
        (session) => sessionRecord(session, caller.credentialId),
      );
    },

    revokeSession: (request, call) =>
      revoke(request, call, (tx, ending) =>
        endSession(tx, call, { userId: request.userId, id: request.id, ...ending }),
      ),

    revokeAllSessions: (request, call) =>
      revoke(request, call, (tx, ending) =>
        endAllSessions(tx, call, { userId: request.userId, ...ending }),
      ),

    async listFactors({ userId }) {
      await assertUser(database, userId);
      const [factors, recoveryCodesLeft] = await Promise.all([
        listFactors(database, userId),
        countCodes(onPool(database), userId),
      ]);
      return { factors: factors.map(factorRecord), recoveryCodesLeft };
    },
  };
}

async function assertUser(database: Database, userId: string): Promise<void> {
  const [user] = await findUsers(database, [userId]);
  if (!user) throw notFound('user');
}
