import { type Run, type Statement } from '@bailiwick/shared/orm.ts';

// What a decision rests on, in one statement each. Nothing is remembered between two calls: a right that
// was taken away must not work once more.

const alive = '(g.expires_at is null or g.expires_at > now())';

/** The roles of a user ($1) in the tenant `scope`: its own and those of its groups and the groups above them. */
const rolesOfUser = (scope: string) => `array(
    select g.role from grant_entry g
    where g.tenant = ${scope} and g.subject_type = 'user' and g.subject = $1 and g.resource = '' and ${alive}
    union
    select g.role from group_member gm
    join group_entry e on e.tenant = gm.tenant and e.id = gm.group_id
    join grant_entry g on g.tenant = gm.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys) and g.resource = '' and ${alive}
    where gm.tenant = ${scope} and gm.user_id = $1
  )`;

const platformRoles = (subjectType: 'user' | 'bot') => `array(
    select distinct g.role from grant_entry g
    where g.tenant = '' and g.subject_type = '${subjectType}' and g.subject = $1 and g.resource = '' and ${alive}
  )`;

export type RolesRow = {
  tenant: string;
  /** Whether the tenant exists and is active. */
  open: boolean;
  /** A user's membership; null = none. */
  membership: string | null;
  roles: string[];
  platform_roles: string[];
};

// Without a tenant in the question it is the user's only one.
const userRoles: Statement = {
  name: 'access.user_roles',
  text: `
  with asked as materialized (
    select case when $2::text <> '' then $2::text else coalesce((
      select min(m.tenant) from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
      where m.user_id = $1 and m.status = 'active' having count(*) = 1), '') end as id
  )
  select asked.id as tenant,
    exists (select 1 from tenant t where t.id = asked.id and t.status = 'active') as open,
    (select m.status from tenant_member m where m.tenant = asked.id and m.user_id = $1) as membership,
    ${rolesOfUser('asked.id')} as roles,
    ${platformRoles('user')} as platform_roles
  from asked`,
};

export async function findUserRoles(run: Run, userId: string, tenant: string): Promise<RolesRow | undefined> {
  const rows = await run<RolesRow>(userRoles, [userId, tenant]);
  return rows[0];
}

export type BotRolesRow = {
  /** Whether the tenant in question is active. */
  open: boolean;
  /** Whether the bot's own tenant is active. */
  own_open: boolean;
  /** In its own tenant. */
  roles: string[];
  platform_roles: string[];
};

const botRoles: Statement = {
  name: 'access.bot_roles',
  text: `
  select exists (select 1 from tenant t where t.id = $2 and t.status = 'active') as open,
    exists (select 1 from tenant t where t.id = $3 and t.status = 'active') as own_open,
    array(
      select distinct g.role from grant_entry g
      where g.tenant = $3 and g.tenant <> '' and g.subject_type = 'bot' and g.subject = $1 and g.resource = '' and ${alive}
    ) as roles,
    ${platformRoles('bot')} as platform_roles`,
};

export async function findBotRoles(run: Run, botId: string, tenant: string, botTenant: string): Promise<BotRolesRow | undefined> {
  const rows = await run<BotRolesRow>(botRoles, [botId, tenant, botTenant]);
  return rows[0];
}

const activeTenant: Statement = { name: 'access.active_tenant', text: `select 1 as one from tenant where id = $1 and status = 'active'` };

export async function isActiveTenant(run: Run, tenant: string): Promise<boolean> {
  return (await run(activeTenant, [tenant])).length > 0;
}

export type TenantRolesRow = { tenant: string; roles: string[] };

const rolesEverywhere: Statement = {
  name: 'access.roles_everywhere',
  text: `
  select m.tenant, ${rolesOfUser('m.tenant')} as roles
  from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
  where m.user_id = $1 and m.status = 'active'`,
};

/** A user's roles in every tenant where they can count. */
export function findRolesEverywhere(run: Run, userId: string): Promise<TenantRolesRow[]> {
  return run<TenantRolesRow>(rolesEverywhere, [userId]);
}

const sharesTenant: Statement = {
  name: 'access.shares_tenant',
  text: `
  select 1 as one from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
  where m.user_id = $1 and ($2 or m.tenant = any (string_to_array($3, ',')))
    and not exists (select 1 from tenant_member r where r.tenant = m.tenant and r.user_id = $4 and r.status <> 'active')
  limit 1`,
};

export type Reach = { everywhere: boolean; tenants: readonly string[] };

/** Whether a user is a member of a tenant within the reader's reach. */
export async function isMemberWithin(run: Run, userId: string, { everywhere, tenants }: Reach, readerId: string): Promise<boolean> {
  return (await run(sharesTenant, [userId, everywhere, tenants.join(','), readerId])).length > 0;
}

const memberIds: Statement = {
  name: 'access.member_ids',
  text: 'select user_id from tenant_member where tenant = $1 and user_id > $2 order by user_id limit $3',
};

export async function findMemberIds(run: Run, tenant: string, after: string, limit: number): Promise<string[]> {
  const rows = await run<{ user_id: string }>(memberIds, [tenant, after, limit]);
  return rows.map((row) => row.user_id);
}
