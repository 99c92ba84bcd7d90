import type { Run, Statement } from '@bailiwick/store';

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
