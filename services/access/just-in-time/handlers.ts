import { invalid } from '@bailiwick/errors';
import { recordRevocation } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Database } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { findByToken } from '../invitations/queries.ts';
import { rowOf } from '../rows.ts';
import { lockTenant } from '../tenants/lock.ts';
import { findTenant } from '../tenants/queries.ts';
import { type JoinDeps, join } from './join.ts';
import { mayDelegate, mayGrantRoles } from './may-grant.ts';
import { takeBack } from './take-back.ts';

export function justInTimeHandlers(deps: JoinDeps): Handlers<typeof Admission> {
  const { database } = deps;
  return {
    join: (request, call) => join(deps, request, call),
    mayConfer: (request) => mayGrantRoles(database, request),
    mayDelegate: (request) => mayDelegate(database, request),

    async isOpen({ tenant }) {
      const row = await findTenant(database, tenant);
      return { open: row?.status === 'active', requiresSso: row?.settings.requireSso === true };
    },
    async findInvited({ tokenHash }) {
      const row = await findByToken(database, tokenHash);
      const isPending = row?.status === 'pending' && new Date(row.expiresAt) > new Date();
      return { email: isPending ? row.email : '' };
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
    recordRevocation(tx, [`tenant:${tenant}`]);
  });
}
