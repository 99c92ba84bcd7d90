import { sessionProof } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import { type Handlers, inOrderOf, type Pager, readFound, readSearch } from '@bailiwick/pipeline';
import type { Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { findBranding } from './branding/queries.ts';
import { toBranding } from './branding.ts';
import { type CreateDeps, createTenant } from './create.ts';
import { toOwnTenant, toTenant } from './entities.ts';
import { deleteTenant, restoreTenant, resumeTenant, suspendTenant } from './lifecycle.ts';
import { findTenant, findTenants, listTenants, membershipsOf, searchTenants } from './queries.ts';
import { updateTenant } from './update.ts';

export function tenantHandlers(
  deps: CreateDeps & { pager: Pager; tenantGraceSeconds: number },
): Omit<Handlers<typeof Tenants>, 'getCounts' | 'getTotals'> {
  const { database, pager } = deps;
  return {
    async create(request, call) {
      return { tenant: await createTenant(deps, request, call) };
    },

    async get({ tenant }) {
      const row = await findTenant(database, tenant);
      if (!row) throw notFound('tenant');
      return { tenant: toTenant(row) };
    },

    async getBranding({ tenant }) {
      const row = await findBranding(database, tenant);
      return { branding: row ? toBranding(row.id, row.branding) : {} };
    },

    async update(request, call) {
      return { tenant: await updateTenant(deps, request, call) };
    },

    async delete({ tenant }, call) {
      await deleteTenant(database, tenant, deps.tenantGraceSeconds, call);
      return {};
    },

    restore: async ({ tenant }, call) => ({ tenant: await restoreTenant(database, tenant, call) }),
    suspend: async ({ tenant }, call) => ({ tenant: await suspendTenant(database, tenant, call) }),
    resume: async ({ tenant }, call) => ({ tenant: await resumeTenant(database, tenant, call) }),

    async list({ page, ...request }, { operation, reader }) {
      // The empty texts are those of cursors that the version before handed out. They can go when a
      // cursor of the whole list from that version need not be read any more: one version later.
      const binding = [operation.name, '', ''];
      const search = readSearch(request);
      if (!search)
        return pager.list(page, binding, (query) => listTenants(reader, query), toTenant);
      const { ids, nextCursor } = await readFound(
        { pager, page, binding, search },
        (criteria, query) => searchTenants(reader, criteria, query),
      );
      const rows = await findTenants(reader, ids);
      return { page: { items: inOrderOf(ids, rows, ({ id }) => id).map(toTenant), nextCursor } };
    },

    async listMine({ page }, { operation, caller }) {
      const binding = [operation.name, caller.id];
      return pager.list(
        page,
        binding,
        (query) => membershipsOf(database, caller.id, query, sessionProof(caller)),
        toOwnTenant,
      );
    },
  };
}
