import type { PageQuery, Search } from '@bailiwick/pipeline';
import {
  createListing,
  type Database,
  type FoundIds,
  lastPartKey,
  type Reader,
  type Run,
  type Statement,
  tenantKey,
  textKey,
} from '@bailiwick/store';
import { isInReach, type Reach, type ReachValues, reachValues } from '../decisions/session.ts';
import { memberRole, ownerRole } from '../permissions/builtin.ts';
import { memberTrigrams } from '../tenants/entities.ts';
import { type GroupRow, groupTrigrams, scimSource } from './entities.ts';

const columns =
  'e.tenant, e.id, e.path, e.name, e.description, e.external_id as "externalId", e.source, e.metadata, e.created_at as "createdAt", e.updated_at as "updatedAt"';

const groupByKey: Statement<GroupRow, [tenant: string, key: string]> = {
  name: 'access.group',
  text: `select ${columns} from group_entry e where e.tenant = $1 and e.key = $2`,
};

export async function findGroup(
  reader: Reader,
  tenant: string,
  key: string,
): Promise<GroupRow | undefined> {
  const rows = await reader.query(groupByKey, [tenant, key]);
  return rows[0];
}

const groupsOfTenant: Statement<GroupRow, [tenant: string, after: string, limit: number]> = {
  name: 'access.groups_of_tenant',
  text: `select ${columns} from group_entry e where e.tenant = $1 and e.id > $2 order by e.id limit $3`,
};

export function groupsOf(
  reader: Reader,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<GroupRow[]> {
  return reader.query(groupsOfTenant, [tenant, after, limit]);
}

const groupsByIds: Statement<GroupRow, [tenant: string, ids: readonly string[]]> = {
  name: 'access.groups_by_ids',
  text: `select ${columns} from group_entry e where e.tenant = $1 and e.id = any($2)`,
};

export const findGroups = (
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<GroupRow[]> => reader.query(groupsByIds, [tenant, ids]);

const searchedGroups = createListing({
  name: 'access.groups_searched',
  sources: ['group_entry e'],
  scope: 'e.tenant = $1',
  id: 'e.id',
  orders: {
    name: { key: textKey('e.name'), type: 'text' },
    path: { key: textKey('e.key'), type: 'text' },
    created: { key: 'e.created_at', type: 'timestamptz' },
  },
  searched: [textKey('e.name'), lastPartKey('e.name'), textKey('e.key'), lastPartKey('e.key', '/')],
  inside: {
    index: groupTrigrams,
    keys: [textKey('e.name'), textKey('e.key')],
    scope: `${tenantKey('e.tenant')} = $1`,
  },
  filters: [
    '($7::timestamptz is null or e.created_at >= $7)',
    '($8::timestamptz is null or e.created_at < $8)',
  ],
});

/** The ids of a page of a tenant's groups. */
export const searchGroups = (
  reader: Reader,
  tenant: string,
  { from, to, ...search }: Search,
  page: PageQuery,
): Promise<FoundIds> =>
  searchedGroups.find(reader.query, { ...search, ...page, tenant, values: [from, to] });

// The order of the rows is that of their locks. A membership added by hand is no longer managed by
// mappings.
const enter: Statement<
  { userId: string; isNew: boolean },
  [tenant: string, groupId: string, userIds: readonly string[], createdAt: Date, mappedBy: string]
> = {
  name: 'access.enter_group',
  text: `insert into group_member as m (tenant, group_id, user_id, created_at, mapped_by)
         select $1, $2, user_id, $4, $5 from unnest($3::text[]) as user_id order by user_id
         on conflict (tenant, group_id, user_id) do update set mapped_by = excluded.mapped_by
         where m.mapped_by <> excluded.mapped_by
         returning user_id as "userId", xmax = 0 as "isNew"`,
};

/** Adds users to a group, and returns those who were not in it. */
export async function addToGroup(
  run: Run,
  { tenant, id }: GroupRow,
  { userIds, mappedBy }: { userIds: readonly string[]; mappedBy: string },
): Promise<string[]> {
  const rows = await run(enter, [tenant, id, userIds, new Date(), mappedBy]);
  return rows.filter(({ isNew }) => isNew).map(({ userId }) => userId);
}

type MembersStatement = Statement<
  { user_id: string },
  [tenant: string, groupId: string, after: string, limit: number]
>;

const membersOfGroup: MembersStatement = {
  name: 'access.members_of_group',
  text: 'select user_id from group_member where tenant = $1 and group_id = $2 and user_id > $3 order by user_id limit $4',
};

const membersBelowGroup: MembersStatement = {
  name: 'access.members_below_group',
  text: `select distinct m.user_id from group_entry e join group_member m on m.tenant = e.tenant and m.group_id = e.id
         where e.tenant = $1 and (select key from group_entry where tenant = $1 and id = $2) = any (e.ancestor_keys)
           and m.user_id > $3 order by m.user_id limit $4`,
};

/** The ids of the users in a group, or in it and the groups below it. */
export async function memberIdsOf(
  reader: Reader,
  group: GroupRow,
  { after, limit }: PageQuery,
  effective: boolean,
): Promise<string[]> {
  const rows = await reader.query(effective ? membersBelowGroup : membersOfGroup, [
    group.tenant,
    group.id,
    after,
    limit,
  ]);
  return rows.map((row) => row.user_id);
}

const searchedMembers = createListing({
  name: 'access.group_members_searched',
  sources: ['tenant_member m'],
  scope: `m.tenant = $1 and m.status <> 'barred'`,
  id: 'm.user_id',
  orders: {
    name: { key: 'm.name_key', type: 'text' },
    email: { key: 'm.email_key', type: 'text' },
  },
  searched: ['m.name_key', 'm.last_word_key', 'm.email_key'],
  inside: {
    index: memberTrigrams,
    keys: ['m.name_key', 'm.email_key'],
    scope: `${tenantKey('m.tenant')} = $1 and m.status <> 'barred'`,
  },
  filters: [
    `exists (
       select from group_member g where g.tenant = $1 and g.user_id = m.user_id and (g.group_id = $7::text or ($8::boolean and exists (
         select from group_entry e where e.tenant = $1 and e.id = g.group_id
           and (select key from group_entry where tenant = $1 and id = $7::text) = any (e.ancestor_keys)))))`,
  ],
  selective: [
    {
      name: 'direct',
      where:
        'm.user_id in (select g.user_id from group_member g where g.tenant = $1 and g.group_id = $7::text limit $5::int)',
      isGiven: ([, isEffective]) => isEffective === false,
    },
  ],
});

/** The ids of a page of the users in a group, or in it and the groups below it. */
export const searchMembersOf = (
  reader: Reader,
  { tenant, id }: GroupRow,
  isEffective: boolean,
  search: Search,
  page: PageQuery,
): Promise<FoundIds> =>
  searchedMembers.find(reader.query, { ...search, ...page, tenant, values: [id, isEffective] });

// A user's groups are in several tenants: the last parameters say which of them the caller
// may see.
type UserGroupsStatement = Statement<
  GroupRow,
  [userId: string, after: string, limit: number, ...reach: ReachValues]
>;

const groupsOfUser: UserGroupsStatement = {
  name: 'access.groups_of_user',
  text: `select ${columns} from group_member m join group_entry e on e.tenant = m.tenant and e.id = m.group_id
         where m.user_id = $1 and e.id > $2 and ${isInReach('e.tenant')} order by e.id limit $3`,
  across: "lists the user's own groups, in the tenants that the caller may see",
};

const groupsAboveUser: UserGroupsStatement = {
  name: 'access.groups_above_user',
  text: `select ${columns} from group_entry e
         where e.id > $2 and ${isInReach('e.tenant')} and exists (
           select 1 from group_member m join group_entry d on d.tenant = m.tenant and d.id = m.group_id
           where m.user_id = $1 and m.tenant = e.tenant and e.key = any (d.ancestor_keys))
           and e.tenant in (select tenant from group_member where user_id = $1)
         order by e.id limit $3`,
  across: "lists the user's own groups, in the tenants that the caller may see",
};

export type MemberGroupsQuery = PageQuery & { reach: Reach; effective: boolean };

/** The groups of a user, or those and their ancestors, in the tenants within reach. */
export function groupsWith(
  database: Database,
  userId: string,
  { after, limit, reach, effective }: MemberGroupsQuery,
): Promise<GroupRow[]> {
  return database.query(effective ? groupsAboveUser : groupsOfUser, [
    userId,
    after,
    limit,
    ...reachValues(reach),
  ]);
}

const groupPaths: Statement<{ path: string }, [tenant: string, userId: string]> = {
  name: 'access.group_paths_of_user',
  text: `select distinct a.path from group_member gm
         join group_entry e on e.tenant = gm.tenant and e.id = gm.group_id
         join group_entry a on a.tenant = gm.tenant and a.key = any (e.ancestor_keys)
         where gm.tenant = $1 and gm.user_id = $2 order by a.path`,
};

/** The paths of a user's groups in a tenant, and of the groups above them. */
export async function findGroupPaths(run: Run, tenant: string, userId: string): Promise<string[]> {
  return (await run(groupPaths, [tenant, userId])).map(({ path }) => path);
}

const rolesOfGroup: Statement<{ role: string }, [tenant: string, groupId: string]> = {
  name: 'access.roles_of_group',
  text: `select distinct g.role from group_entry e
         join grant_entry g on g.tenant = e.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
         where e.tenant = $1 and e.id = $2 and (g.expires_at is null or g.expires_at > now())`,
};

/**
 * The roles that a member of the group receives, on any resource: those of the group and its
 * ancestors.
 */
export async function findGroupRoles(run: Run, tenant: string, groupId: string): Promise<string[]> {
  const rows = await run(rolesOfGroup, [tenant, groupId]);
  return rows.map((row) => row.role);
}

const directoryRoles: Statement<{ role: string }, [tenant: string]> = {
  name: 'access.roles_of_directory',
  text: `
  select coalesce(nullif(t.settings->>'defaultRole', ''), '${memberRole}') as role from tenant t where t.id = $1
  union
  select g.role from group_entry e
  join tenant t on t.id = e.tenant
  join grant_entry g on g.tenant = e.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
    and (g.expires_at is null or g.expires_at > now())
  where e.tenant = $1 and (e.source = '${scimSource}' or e.key = lower(ltrim(coalesce(t.settings->>'scimGroupParent', ''), '/')))
    and g.role <> '${ownerRole}'`,
};

/**
 * The roles that a directory of the tenant can give now: the default role, and those of its groups
 * and of the parent of new ones. It never gives ownership.
 */
export async function findDirectoryRoles(run: Run, tenant: string): Promise<string[]> {
  return (await run(directoryRoles, [tenant])).map(({ role }) => role);
}
