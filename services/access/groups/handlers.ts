import { type Database } from '@bailiwick/database';
import { notFound } from '@bailiwick/errors';
import type {
  Groups,
  GroupsListByTenantRequest,
  GroupsListRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { type Call, type Handlers, type Pager } from '@bailiwick/rpc';
import { visibleTo } from '../decisions/visible.ts';
import { toGroup } from './entities.ts';
import { addMember, deleteGroup, removeMember } from './members.ts';
import { pathKey } from './path.ts';
import { findGroup, groupsOf, groupsWith, memberIdsOf } from './queries.ts';
import { saveGroup } from './save.ts';

type Deps = { database: Database; pager: Pager };

export function groupHandlers({ database, pager }: Deps): Handlers<typeof Groups> {
  // List and ListByTenant have equal shapes and answer alike.
  async function list(
    { tenant, page }: GroupsListRequest | GroupsListByTenantRequest,
    { operation }: Call,
  ) {
    const binding = [operation.name, tenant];
    const query = pager.read(page, binding);
    const rows = await groupsOf(database, tenant, query);
    const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.id);
    return { page: { items: items.map(toGroup), nextCursor } };
  }

  return {
    async save(request, call) {
      await saveGroup(database, request, call);
      return {};
    },

    async get({ tenant, path }) {
      const row = await findGroup(database, tenant, pathKey(path));
      return row ? { group: toGroup(row) } : {};
    },

    async delete({ tenant, path }, call) {
      await database.transaction({ tenant, row: `group ${tenant} ${pathKey(path)}` }, (em) =>
        deleteGroup(em, { tenant, path }, call),
      );
      return {};
    },

    list,
    listByTenant: list,

    async addMember({ tenant, group, userId }, call) {
      await database.transaction({ tenant, row: `user ${tenant} ${userId}` }, (em) =>
        addMember(em, { tenant, group, userId }, call),
      );
      return {};
    },

    async removeMember({ tenant, group, userId }, call) {
      await database.transaction({ tenant, row: `user ${tenant} ${userId}` }, (em) =>
        removeMember(em, { tenant, group, userId }, call),
      );
      return {};
    },

    async listMembers({ tenant, group: path, page, effective = false }, { operation }) {
      const group = await findGroup(database, tenant, pathKey(path));
      if (!group) throw notFound('group');
      const binding = [operation.name, tenant, group.id, String(effective)];
      const query = pager.read(page, binding);
      const ids = await memberIdsOf(database, group, query, effective);
      return { page: pager.cut(ids, query, binding, (id) => id) };
    },

    async listMemberGroups({ userId, page, effective = false }, call) {
      const reach = await visibleTo(database, call, 'iam.groups.read');
      const binding = [call.operation.name, call.caller.id, userId, String(effective)];
      const query = pager.read(page, binding);
      const rows = await groupsWith(database, userId, { ...query, reach, effective });
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.id);
      return { page: { items: items.map(toGroup), nextCursor } };
    },
  };
}
