import type { PageQuery } from '@bailiwick/pipeline';
import type { Run, Statement } from '@bailiwick/store';

const rolesOfTenant: Statement<{ slug: string; permissions: string[] }, [tenant: string]> = {
  name: 'access.permissions_of_roles',
  text: 'select slug, permissions from role_entry where tenant = $1',
};

export const findOwnRoles = (
  run: Run,
  tenant: string,
): Promise<Array<{ slug: string; permissions: string[] }>> => run(rolesOfTenant, [tenant]);

/** Grants, and members of groups, that a page collects. */
const collectedRows = 5000;
/** Members that a page walks: enough where many hold the permission, and where few do. */
const walkedRows = [1000, 10_000];

/** The grants that count, of users and bots or of groups. */
const giving = (subjects: 'is' | 'is not') => `
    select g.subject_type, g.subject, g.tenant = '' as platform from grant_entry g
    where g.tenant in ($1, '') and (g.tenant <> '' and g.role = any ($2::text[]) or g.tenant = '' and g.role = any ($3::text[]))
      and g.resource in ('', $4) and (g.expires_at is null or g.expires_at > now())
      and (g.subject_type = 'group') ${subjects} true`;

/**
 * A page of the holders in the relation `held`. The conditions of a user or bot are those of
 * `isEffective`. One row more tells whether `held` is complete.
 */
const page = (complete: string, last: string) => `
  , page as (
    select h.subject as id, bool_and(h.platform) as "onPlatformOnly"
    from held h left join tenant_member m on m.tenant = $1 and m.user_id = h.subject
    where h.subject > $5 and h.subject like $6 and exists (select 1 from tenant t where t.id = $1 and t.status = 'active')
      and (h.subject like 'bot%' or m.status = 'active' or (h.platform and m.status is null))
      and not exists (select 1 from subject_state s where s.subject = h.subject and s.state in ('disabled', 'deleted'))
    group by h.subject order by h.subject limit $7
  )
  select p.id, p."onPlatformOnly", ${complete} as complete, ${last} as last
  from (values (1)) one left join page p on true order by p.id`;

// Few subjects hold most permissions: their grants are collected through the roles.
type HolderValues = [
  tenant: string,
  inTenant: readonly string[],
  onPlatform: readonly string[],
  resource: string,
  after: string,
  prefix: string,
  limit: number,
];

const collected: Statement<Row, [...query: HolderValues, rows: number]> = {
  name: 'access.holders_collected',
  text: `
  with direct as materialized (${giving('is not')} limit $8::int),
  groups as materialized (${giving('is')} limit $8::int),
  inherited as materialized (
    select m.user_id as subject from groups g
    join group_entry e on e.tenant = $1 and g.subject = any (e.ancestor_keys)
    join group_member m on m.tenant = $1 and m.group_id = e.id
    limit $8::int
  ), held as (
    select subject, platform from direct union all select subject, false from inherited
  )${page(
    '(select count(*) from direct) < $8::int and (select count(*) from groups) < $8::int and (select count(*) from inherited) < $8::int',
    "''",
  )}`,
};

// All members hold some permissions: they are walked in order, each with its own grants. Bots and
// operators are few.
const walked: Statement<Row, [...query: HolderValues, members: number]> = {
  name: 'access.holders_walked',
  text: `
  with member as materialized (
    select m.user_id as subject from tenant_member m
    where m.tenant = $1 and m.user_id > $5 and m.user_id like $6 order by m.user_id limit $8::int
  ), edge as (
    select subject from member order by subject offset $8::int - 1 limit 1
  ), direct as materialized (${giving('is not')} and (g.tenant = '' or g.subject_type = 'bot')),
  groups as materialized (${giving('is')}),
  held as (
    select subject, platform from direct
    union all
    select m.subject, false from member m where exists (
      select 1 from grant_entry g where g.tenant = $1 and g.subject_type = 'user' and g.subject = m.subject
        and g.role = any ($2::text[]) and g.resource in ('', $4) and (g.expires_at is null or g.expires_at > now())
    ) or exists (
      select 1 from group_member gm join group_entry e on e.tenant = $1 and e.id = gm.group_id
      where gm.user_id = m.subject and gm.tenant = $1 and exists (select 1 from groups g where g.subject = any (e.ancestor_keys))
    )
  )${page('true', "coalesce((select subject from edge), '')")}`,
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

type Row = { id: string | null; onPlatformOnly: boolean; complete: boolean; last: string };

/**
 * Users and bots for which a grant of these roles takes effect, in order of id. `last`: the id that
 * a search ended at before its page was full; '' = it did not.
 */
export async function findHolders(
  run: Run,
  { tenant, resource, roles, prefix }: HolderQuery,
  { after, limit }: PageQuery,
): Promise<{ holders: Holder[]; last: string }> {
  const { inTenant, onPlatform } = roles;
  const values: HolderValues = [tenant, inTenant, onPlatform, resource, after, `${prefix}%`, limit];
  let rows = await run(collected, [...values, collectedRows]);
  if (rows[0]?.complete === false)
    for (const members of walkedRows) {
      rows = await run(walked, [...values, members]);
      if (rows.length === limit || rows[0]?.last === '') break;
    }
  const last = rows[0]?.last ?? '';
  const holders = rows.flatMap(({ id, onPlatformOnly }) =>
    id === null || (last !== '' && id > last) ? [] : [{ id, onPlatformOnly }],
  );
  return { holders, last };
}

const activeTenants: Statement<{ id: string }, [ids: readonly string[]]> = {
  name: 'access.active_tenants',
  text: `select id from tenant where id = any ($1::text[]) and status = 'active'`,
};

export async function findActiveTenants(
  run: Run,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await run(activeTenants, [ids]);
  return new Set(rows.map(({ id }) => id));
}
