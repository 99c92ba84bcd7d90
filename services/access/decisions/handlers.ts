import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { type Database, onPool } from '@bailiwick/shared/orm.ts';
import { tenantsOf } from '../tenants/queries.ts';
import { findMemberIds, isMemberWithin } from './queries.ts';
import { bitmapsOf, reachOf, rightsOf } from './rights.ts';

const maxTenants = 1000;
const maxMembers = 1000;

export function authorityHandlers({ database }: { database: Database }): Handlers<typeof Authority> {
  const run = onPool(database);
  return {
    async effective({ principalType, principalId, tenant, botTenant, narrowedTo }) {
      const rights = await rightsOf(run, { type: principalType, id: principalId, botTenant, narrowedTo }, tenant);
      return { tenant: rights.tenant, ...bitmapsOf(rights) };
    },

    async listUserTenants({ userId }) {
      const rows = await tenantsOf(database, userId, { after: '', limit: maxTenants });
      return { tenants: rows.map(({ id, slug, name }) => ({ id, slug, name })) };
    },

    async listMemberIds({ tenant, after, limit }) {
      return { userIds: await findMemberIds(run, tenant, after, limit > 0 ? Math.min(limit, maxMembers) : maxMembers) };
    },

    async mayReadUser({ readerType, readerId, userId, botTenant, narrowedTo }) {
      const reach = await reachOf(run, { type: readerType, id: readerId, botTenant, narrowedTo }, 'iam.users.read');
      const anywhere = reach.everywhere || reach.tenants.length > 0;
      return { anywhere, shared: anywhere && userId !== '' && (await isMemberWithin(run, userId, reach, readerId)) };
    },
  };
}
