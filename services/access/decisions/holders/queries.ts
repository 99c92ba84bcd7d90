import { type Run, type Statement } from '@bailiwick/database';
import { type PageQuery } from '@bailiwick/rpc';

const rolesOfTenant: Statement = {
  name: 'access.permissions_of_roles',
  text: 'select slug, permissions from role_entry where tenant = $1',
};

/** The tenant's own roles. */
export const findOwnRoles = (
  run: Run,
  tenant: string,
): Promise<Array<{ slug: string; permissions: string[] }>> => run(rolesOfTenant, [tenant]);

// The conditions of a user or bot are those of `isEffective`.
const holders: Statement = {
  name: 'access.holders',
  text: `
  with giving as (
    select g.subject_type, g.subject, g.tenant = '' as platform from grant_entry g
    where g.tenant in ($1, '') and (g.tenant <> '' and g.role = any ($2::text[]) or g.tenant = '' and g.role = any ($3::text[]))
      and g.resource in ('', $4) and (g.expires_at is null or g.expires_at > now())
  ), held as (
    select g.subject, g.platform from giving g where g.subject_type <> 'group'
    union
    select m.user_id, false from giving g
    join group_entry e on e.tenant = $1 and g.subject = any (e.ancestor_keys)
    join group_member m on m.tenant = $1 and m.group_id = e.id
    where g.subject_type = 'group'
  )
  select h.subject as id, bool_and(h.platform) as "onPlatformOnly"
  from held h left join tenant_member m on m.tenant = $1 and m.user_id = h.subject
  where h.subject > $5 and h.subject like $6 and exists (select 1 from tenant t where t.id = $1 and t.status = 'active')
    and (h.subject like 'bot%' or m.status = 'active' or (h.platform and m.status is null))
    and not exists (select 1 from subject_state s where s.subject = h.subject and s.state in ('disabled', 'deleted'))
  group by h.subject order by h.subject limit $7`,
};

export type Holder = {
  id: string;
  /** Whether none of its grants is in the tenant. */
  onPlatformOnly: boolean;
};

/** Selects subjects with a grant on the whole tenant or the resource. */
export type HolderQuery = {
  tenant: string;
  resource: string;
  /** The slugs of the roles that count, granted in the tenant and on the platform. */
  roles: { inTenant: readonly string[]; onPlatform: readonly string[] };
  /** The beginning of the ids; '' = all. */
  prefix: string;
};

/** Users and bots for which a grant of these roles takes effect, in order of id. */
export function findHolders(
  run: Run,
  { tenant, resource, roles, prefix }: HolderQuery,
  { after, limit }: PageQuery,
): Promise<Holder[]> {
  const { inTenant, onPlatform } = roles;
  return run<Holder>(holders, [tenant, inTenant, onPlatform, resource, after, `${prefix}%`, limit]);
}

const activeTenants: Statement = {
  name: 'access.active_tenants',
  text: `select id from tenant where id = any ($1::text[]) and status = 'active'`,
};

/** Which of these tenants are active. */
export async function findActiveTenants(
  run: Run,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await run<{ id: string }>(activeTenants, [ids]);
  return new Set(rows.map(({ id }) => id));
}
