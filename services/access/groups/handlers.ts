import { type Caller, holdsInTenant, holdsOnPlatform } from '@bailiwick/contract';
import { denied, notFound } from '@bailiwick/errors';
import {
  type Call,
  type Handlers,
  inOrderOf,
  type Pager,
  readFound,
  readSearch,
} from '@bailiwick/pipeline';
import type {
  Groups,
  GroupsListByTenantRequest,
  GroupsListMembersRequest,
  GroupsListRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import type { Database } from '@bailiwick/store';
import { visibleTo } from '../decisions/visible.ts';
import { rowOf } from '../rows.ts';
import { toGroup } from './entities.ts';
import { addMember, deleteGroup, removeMember } from './members.ts';
import { pathKey } from './path.ts';
import {
  findGroup,
  findGroups,
  groupsOf,
  groupsWith,
  memberIdsOf,
  searchGroups,
  searchMembersOf,
} from './queries.ts';
import { saveGroup } from './save.ts';

type Deps = { database: Database; pager: Pager };

const mayReadUsers = (caller: Caller, tenant: string) =>
  holdsInTenant(caller, 'iam.users.read', tenant) ||
  holdsOnPlatform(caller, 'iam.platform.users.read');

/** Groups_List and Groups_ListByTenant, which have equal shapes and answer alike. */
async function listGroups(
  pager: Pager,
  { tenant, page, ...request }: GroupsListRequest | GroupsListByTenantRequest,
  { operation, reader }: Call,
) {
  const binding = [operation.name, tenant];
  const search = readSearch(request);
  if (search) {
    const { ids, nextCursor } = await readFound(
      { pager, page, binding, search },
      (criteria, query) => searchGroups(reader, tenant, criteria, query),
    );
    const rows = await findGroups(reader, tenant, ids);
    return { page: { items: inOrderOf(ids, rows, ({ id }) => id).map(toGroup), nextCursor } };
  }
  return pager.list(page, binding, (query) => groupsOf(reader, tenant, query), toGroup);
}

async function listMembers(
  { database, pager }: Deps,
  request: GroupsListMembersRequest,
  { operation, caller, reader: nearest }: Call,
) {
  const { tenant, group: path, page, effective = false } = request;
  const search = readSearch(request);
  // A search reveals names and addresses.
  if (search && !mayReadUsers(caller, tenant)) throw denied();
  const key = pathKey(path);
  const near = await findGroup(nearest, tenant, key);
  // Another caller may have just created it.
  const group = near ?? (await findGroup(database, tenant, key));
  if (!group) throw notFound('group');
  const reader = near ? nearest : database;
  const binding = [operation.name, tenant, group.id, String(effective)];
  if (search) {
    const { ids, nextCursor } = await readFound(
      { pager, page, binding, search },
      (criteria, query) => searchMembersOf(reader, group, effective, criteria, query),
    );
    return { page: { items: ids, nextCursor } };
  }
  const query = pager.read(page, binding);
  const ids = await memberIdsOf(reader, group, query, effective);
  return { page: pager.cut(ids, query, binding, (id) => id) };
}

export function groupHandlers({ database, pager }: Deps): Handlers<typeof Groups> {
  return {
    async save(request, call) {
      const { tenant = '', path = '' } = request.group ?? {};
      await database.transaction({ call, tenant, row: rowOf.group(tenant, pathKey(path)) }, (tx) =>
        saveGroup(tx, request),
      );
      return {};
    },

    async get({ tenant, path }) {
      const row = await findGroup(database, tenant, pathKey(path));
      return row ? { group: toGroup(row) } : {};
    },

    async delete({ tenant, path }, call) {
      await database.transaction({ call, tenant, row: rowOf.group(tenant, pathKey(path)) }, (tx) =>
        deleteGroup(tx, { tenant, path }, call),
      );
      return {};
    },

    list: (request, call) => listGroups(pager, request, call),
    listByTenant: (request, call) => listGroups(pager, request, call),

    async addMember({ tenant, group, userId }, call) {
      await database.transaction({ call, tenant, row: rowOf.member(tenant, userId) }, (tx) =>
        addMember(tx, { tenant, group, userId }, call),
      );
      return {};
    },

    async removeMember({ tenant, group, userId }, call) {
      await database.transaction({ call, tenant, row: rowOf.member(tenant, userId) }, (tx) =>
        removeMember(tx, { tenant, group, userId }, call),
      );
      return {};
    },

    listMembers: (request, call) => listMembers({ database, pager }, request, call),

    async listMemberGroups({ userId, page, effective = false }, call) {
      const reach = await visibleTo(database, call, 'iam.groups.read');
      const binding = [call.operation.name, call.caller.id, userId, String(effective)];
      return pager.list(
        page,
        binding,
        (query) => groupsWith(database, userId, { ...query, reach, effective }),
        toGroup,
      );
    },
  };
}
