import { invalid } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Database } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { findByToken } from '../invitations/queries.ts';
import { rowOf } from '../rows.ts';
import { lockTenant } from '../tenants/lock.ts';
import { findTenant } from '../tenants/queries.ts';
import { type JoinDeps, join } from './join.ts';
import { mayConfer, mayDelegate } from './may-grant.ts';
import { takeBack } from './take-back.ts';

export function admissionHandlers(deps: JoinDeps): Handlers<typeof Admission> {
  const { database } = deps;
  return {
    join: (request, call) => join(deps, request, call),
    mayConfer: (request) => mayConfer(database, request),
    mayDelegate: (request) => mayDelegate(database, request),

    async isOpen({ tenant }) {
      const found = await findTenant(database, tenant);
      return { open: found?.status === 'active', requiresSso: found?.settings.requireSso === true };
    },
    async findInvited({ tokenHash }) {
      const found = await findByToken(database, tokenHash);
      const isPending = found?.status === 'pending' && new Date(found.expiresAt) > new Date();
      return { email: isPending ? found.email : '' };
    },
    takeBack: async (request, call) => ({ done: await takeBack(deps, request, call) }),

    async liftSso({ tenant, until }, call) {
      if (!until) throw invalid('Until is required');
      await liftSso(database, tenant, timestampDate(until), call);
      return {};
    },
  };
}

/** sso records the event and audit entry: it knows the caller. */
async function liftSso(database: Database, tenant: string, until: Date, call: Call): Promise<void> {
  await database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, async (tx) => {
    const row = await lockTenant(tx, tenant);
    if (row.ssoLiftedUntil?.getTime() === until.getTime()) return;
    row.ssoLiftedUntil = until;
    // sso records the event.
    call.invalidates.add(`tenant:${tenant}`);
  });
}
