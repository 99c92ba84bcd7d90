import type { Support } from '@bailiwick/proto/gen/bailiwick/identity/v1/support_pb.ts';
import { type Call, type Handlers } from '@bailiwick/rpc';
import { sessionRecord } from '../sessions/entities.ts';
import { findSupportOf } from '../sessions/listed/queries.ts';
import { endSupport } from '../sessions/support/queries.ts';
import { userRecord } from '../users/entities.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { recordSupport } from './records.ts';
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
async function endOwn({ database, authority }: SupportDeps, call: Call): Promise<void> {
  const { caller } = call;
  // Even if none is found: the gateways may not know yet that another call has ended it.
  call.invalidates.add(`user:${caller.id}`);
  const live = await findSupportOf(database, caller.id);
  const { tenants } = live
    ? await authority.listUserTenants({ userId: live.userId })
    : { tenants: [] };
  await database.transaction({ tenant: null, row: `user ${caller.id}` }, async (em) => {
    await lockExisting(em, caller.id);
    for (const { id, userId, reason } of await endSupport(em, caller.id)) {
      call.invalidates.add(`credential:${id}`);
      const [user] = await findUsers(database, [userId]);
      const session = { id, userId, operator: caller.id, reason };
      const at = id === live?.id ? tenants.map((tenant) => tenant.id) : [];
      recordSupport(em, call, {
        type: 'session.support_ended',
        session,
        email: user?.email ?? '',
        tenants: at,
      });
    }
  });
}
