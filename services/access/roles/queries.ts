import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Reader, Run, Statement } from '@bailiwick/store';
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
  reader: Reader,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<RoleRow[]> {
  return reader.query(rolesOfTenant, [tenant, after, limit]);
}

const roleUse: Statement<RoleUse, [tenant: string, slug: string]> = {
  name: 'access.role_use',
  text: `select exists (select 1 from grant_entry g where g.tenant = $1 and g.role = $2 and (g.expires_at is null or g.expires_at > now())) as granted,
                exists (select 1 from tenant t where t.id = $1 and t.settings->>'defaultRole' = $2) as default,
                exists (select 1 from invitation i where i.tenant = $1 and i.status = 'pending' and i.expires_at > now() and $2 = any (i.roles)) as invited`,
};

export type RoleUse = { granted: boolean; default: boolean; invited: boolean };

export async function findRoleUse(run: Run, tenant: string, slug: string): Promise<RoleUse> {
  const rows = await run(roleUse, [tenant, slug]);
  return rows[0] ?? { granted: false, default: false, invited: false };
}
