import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Support } from '@bailiwick/proto/gen/bailiwick/identity/v1/support_pb.ts';
import { rowOf } from '../rows.ts';
import { sessionRecord } from '../sessions/entities.ts';
import { findSupportOf } from '../sessions/listed/queries.ts';
import { deleteSupportOf } from '../sessions/support/queries.ts';
import { recordSupportEnds } from '../sessions/support/records.ts';
import { userRecord } from '../users/entities.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { type SupportDeps, startSupport } from './start.ts';

export function supportHandlers(deps: SupportDeps): Handlers<typeof Support> {
  const { database } = deps;
  return {
    start: (request, call) => startSupport(deps, request, call),

    async end(_request, call) {
      await endOwn(deps, call);
      return {};
    },

    async get(_request, { caller }) {
      const session = await findSupportOf(database, caller.id);
      const [user] = session ? await findUsers(database, [session.userId]) : [];
      if (!session || !user) return {};
      return { session: sessionRecord(session, ''), user: userRecord(user) };
    },
  };
}

/** Ends the support session of the caller, if there is one. */
async function endOwn({ database }: SupportDeps, call: Call): Promise<void> {
  const { caller } = call;
  // Even if none is found: the gateways may not know yet that another call has ended it.
  call.invalidates.add(`user:${caller.id}`);
  await database.transaction({ call, tenant: null, row: rowOf.user(caller.id) }, async (tx) => {
    await lockExisting(tx, caller.id);
    const ended = await deleteSupportOf(tx, caller.id);
    await recordSupportEnds(tx, ended, () => 'ended');
  });
}
