import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Run, Statement } from '@bailiwick/store';
import type { RoleRow } from './entities.ts';

const columns =
  'r.tenant, r.id, r.slug, r.name, r.description, r.permissions, r.created_at as "createdAt", r.updated_at as "updatedAt"';

const roleBySlug: Statement<RoleRow, [tenant: string, slug: string]> = {
  name: 'access.role',
  text: `select ${columns} from role_entry r where r.tenant = $1 and r.slug = $2`,
};

export async function findRole(
  database: Database,
  tenant: string,
  slug: string,
): Promise<RoleRow | undefined> {
  const rows = await database.query(roleBySlug, [tenant, slug]);
  return rows[0];
}

const rolesOfTenant: Statement<RoleRow, [tenant: string, after: string, limit: number]> = {
  name: 'access.roles_of_tenant',
  text: `select ${columns} from role_entry r where r.tenant = $1 and r.id > $2 order by r.id limit $3`,
};

/** The roles that a tenant has defined, in order of id. */
export function rolesOf(
  database: Database,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<RoleRow[]> {
  return database.query(rolesOfTenant, [tenant, after, limit]);
}

const roleUse: Statement<RoleUse, [tenant: string, slug: string]> = {
  name: 'access.role_use',
  text: `select exists (select 1 from grant_entry g where g.tenant = $1 and g.role = $2 and (g.expires_at is null or g.expires_at > now())) as granted,
                exists (select 1 from tenant t where t.id = $1 and t.settings->>'defaultRole' = $2) as default,
                exists (select 1 from invitation i where i.tenant = $1 and i.status = 'pending' and i.expires_at > now() and $2 = any (i.roles)) as invited`,
};

export type RoleUse = { granted: boolean; default: boolean; invited: boolean };

/** Where a role is in use. */
export async function findRoleUse(run: Run, tenant: string, slug: string): Promise<RoleUse> {
  const rows = await run(roleUse, [tenant, slug]);
  return rows[0] ?? { granted: false, default: false, invited: false };
}

const alive = '(g.expires_at is null or g.expires_at > now())';

const rolePermissions: Statement<
  { permission: string },
  [tenant: string, slugs: readonly string[]]
> = {
  name: 'access.role_permissions',
  text: 'select distinct p as permission from role_entry r cross join lateral unnest(r.permissions) p where r.tenant = $1 and r.slug = any ($2::text[])',
};

/** The permissions of the tenant's own roles among these. */
export async function findRolePermissions(
  run: Run,
  tenant: string,
  slugs: readonly string[],
): Promise<string[]> {
  const rows = await run(rolePermissions, [tenant, slugs]);
  return rows.map((row) => row.permission);
}

const rolesOfSubject: Statement<{ role: string }, [tenant: string, type: string, id: string]> = {
  name: 'access.roles_of_subject',
  text: `
  select g.role from grant_entry g
  where g.tenant = $1 and g.subject_type = $2 and g.subject = $3 and $2 <> 'group' and ${alive}
  union
  select g.role from group_member gm
  join group_entry e on e.tenant = gm.tenant and e.id = gm.group_id
  join grant_entry g on g.tenant = gm.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys) and ${alive}
  where $2 = 'user' and gm.tenant = $1 and gm.user_id = $3
  union
  select g.role from group_entry e
  join grant_entry g on g.tenant = e.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys) and ${alive}
  where $2 = 'group' and e.tenant = $1 and e.id = $3`,
};

export type HolderType = 'user' | 'bot' | 'group';

/**
 * The roles of a user, bot or group (by id) in a tenant, on any resource: its own, those of a
 * user's groups, and those of the groups above them.
 */
export async function findRolesOfSubject(
  run: Run,
  tenant: string,
  type: HolderType,
  id: string,
): Promise<string[]> {
  const rows = await run(rolesOfSubject, [tenant, type, id]);
  return rows.map(({ role }) => role);
}
