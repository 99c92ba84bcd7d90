import { isPlatformOnly } from '@bailiwick/contract';
import type { Call, Checks, Handlers, Pager } from '@bailiwick/pipeline';
import type {
  Roles,
  RolesListByTenantRequest,
  RolesListRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import type { Database } from '@bailiwick/store';
import { rowOf } from '../rows.ts';
import { builtInRoles, toRole } from './entities.ts';
import { describedPermissions } from './permission-list.ts';
import { findRole, rolesOf } from './queries.ts';
import { deleteRole, roleProblems, saveRole } from './save.ts';

export const roleChecks: Checks<typeof Roles> = { save: roleProblems };

type Deps = { database: Database; pager: Pager };

export function roleHandlers({ database, pager }: Deps): Handlers<typeof Roles> {
  // List and ListByTenant have equal shapes and answer alike.
  async function list(
    { tenant, page }: RolesListRequest | RolesListByTenantRequest,
    { operation, reader }: Call,
  ) {
    const binding = [operation.name, tenant];
    const query = pager.read(page, binding);
    const builtIn = builtInRoles(tenant).filter(({ id }) => id > query.after);
    const rows = await rolesOf(reader, tenant, query);
    return { page: pager.cut([...builtIn, ...rows.map(toRole)], query, binding, ({ id }) => id) };
  }

  return {
    async save(request, call) {
      const { tenant = '', slug = '' } = request.role ?? {};
      await database.transaction({ call, tenant, row: rowOf.role(tenant, slug) }, (tx) =>
        saveRole(tx, request, call),
      );
      return {};
    },

    async get({ tenant, slug }) {
      const builtIn = builtInRoles(tenant).find((role) => role.slug === slug);
      if (builtIn) return { role: builtIn };
      const row = await findRole(database, tenant, slug);
      return row ? { role: toRole(row) } : {};
    },

    async delete({ tenant, slug }, call) {
      await database.transaction({ call, tenant, row: rowOf.role(tenant, slug) }, (tx) =>
        deleteRole(tx, { tenant, slug }),
      );
      return {};
    },

    list,
    listByTenant: list,

    listPermissions({ tenant, platform, page }, { operation }) {
      const binding = [operation.name, tenant];
      const { limit, after } = pager.read(page, binding);
      const descriptions = describedPermissions.filter(({ name }) =>
        platform ? name.startsWith('iam.platform.') : !isPlatformOnly(name),
      );
      const start = descriptions.findIndex(({ name }) => name === after) + 1;
      const { items, nextCursor } = pager.cut(
        descriptions.slice(start, start + limit),
        { limit, after },
        binding,
        ({ name }) => name,
      );
      return Promise.resolve({
        page: {
          items: items.map((permission) => ({
            ...permission,
            operations: [...permission.operations],
          })),
          nextCursor,
        },
      });
    },
  };
}
