import type { SessionProof } from '@bailiwick/contract';
import { msUntil, type Run, type Statement } from '@bailiwick/store';
import {
  demandsMore,
  missesFactor,
  missesSso,
  nextDemand,
  type ProofValues,
  proofValues,
  type Reach,
  refusesMethod,
} from './session.ts';

// Each statement reads the current state. The results are cached only under the lease of
// packages/broker/revocation: by gateways, and in effective.ts.

const alive = '(g.expires_at is null or g.expires_at > now())';

/**
 * Aggregates rows of a role, its oldest grant and its end into three arrays in the same order, and
 * finds the first end of a grant.
 */
const rolesAndGrants = `coalesce(array_agg(role order by role), '{}') as roles, coalesce(array_agg(id order by role), '{}') as grants, coalesce(array_agg(ends order by role), '{}') as ends, min(first_end) as first_end`;

/** When the last grant (g) of a role ends, in ms since 1970, and when the first does; null = never. */
const bothEnds =
  '(case when bool_and(g.expires_at is not null) then (extract(epoch from max(g.expires_at)) * 1000)::bigint end)::text as ends, min(g.expires_at) as first_end';

/**
 * The roles of a user ($1) in the tenant `scope`: its own, and those of its groups and their
 * ancestors.
 */
const rolesOfUser = (scope: string) => `
    select ${rolesAndGrants} from (select role, (array_agg(id order by right(id, 26)))[1] as id, ${bothEnds} from (
      select g.role, g.id, g.expires_at from grant_entry g
      where g.tenant = ${scope} and g.subject_type = 'user' and g.subject = $1 and g.resource = '' and ${alive}
      union all
      select g.role, g.id, g.expires_at from group_member gm
      join group_entry e on e.tenant = gm.tenant and e.id = gm.group_id
      join grant_entry g on g.tenant = gm.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys) and g.resource = '' and ${alive}
      where gm.tenant = ${scope} and gm.user_id = $1
    ) g group by role) of_role`;

const platformRoles = (subjectType: 'user' | 'bot') => `
    select ${rolesAndGrants} from (
      select g.role, min(g.id) as id, ${bothEnds} from grant_entry g
      where g.tenant = '' and g.subject_type = '${subjectType}' and g.subject = $1 and g.resource = '' and ${alive} group by g.role
    ) of_role`;

/** The permissions of the tenant's own roles among `held.roles`. */
const customPermissions = (scope: string) => `(
    select coalesce(jsonb_object_agg(r.slug, r.permissions), '{}') from role_entry r where r.tenant = ${scope} and r.slug = any (held.roles)
  )`;

/** Whether the subject ($1) is disabled or deleted, which blocks all its grants. */
export const barred = `exists (select 1 from subject_state s where s.subject = $1 and s.state in ('disabled', 'deleted'))`;

/**
 * Whether a session has no rights in a tenant (t) because it lacks SSO: the tenant requires it, and
 * the session did not come from one of its providers. A temporary exemption applies to owners only,
 * and not to the methods that the tenant refuses.
 */
const lacksSso = (ssoTenant: string) =>
  `${missesSso(ssoTenant)} and not ('owner' = any (held.roles) and coalesce(t.sso_lifted_until > now(), false) and not ${refusesMethod(ssoTenant)})`;

/** The grant of each role, by the role's slug. */
export type GrantedRoles = Record<string, string>;

/** When each role ends, in ms since 1970; null = never. */
export type RoleEnds = Record<string, string | null>;

/** The permissions of the tenant's own roles, by slug. */
export type CustomPermissions = Record<string, string[]>;

/** The settings of a tenant that decisions read. Unset ones are absent. */
type SessionSettings = {
  requireSso?: boolean;
  sessionIdleMinutes?: number;
  sessionMaxMinutes?: number;
  recentLogin?: boolean;
};

export type RolesRow = {
  tenant: string;
  /** Whether the tenant exists and is active. */
  open: boolean;
  /** The tenant's name where it is suspended, "" otherwise. */
  suspended_name: string;
  /** The status of a user's membership, effective only if active; null = not a member. */
  membership: string | null;
  /** Whether the user is disabled or deleted. */
  barred: boolean;
  roles: GrantedRoles;
  custom: CustomPermissions;
  platform_roles: GrantedRoles;
  role_ends?: RoleEnds;
  platform_role_ends?: RoleEnds;
  /**
   * Whether the session did not come from the tenant's provider, and the tenant requires SSO or
   * refuses the session's method.
   */
  lacks_sso: boolean;
  /** Whether the tenant requires a second factor that the session lacks. */
  lacks_factor: boolean;
  /** The tenant's settings; null = the tenant does not exist. */
  settings: SessionSettings | null;
  /** How long the row stays the same without a change, in ms; null = always. */
  unchanged_ms: number | null;
};

// If no tenant is asked for, the user's only tenant is used.
const userRoles: Statement<RolesRow, [userId: string, tenant: string, ...proof: ProofValues]> = {
  name: 'access.user_roles',
  text: `
  with asked as materialized (
    select case when $2::text <> '' then $2::text else coalesce((
      select min(m.tenant) from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
      where m.user_id = $1 and m.status = 'active' having count(*) = 1), '') end as id
  ), held as materialized (
    select asked.id, given.roles, given.grants, given.ends, given.first_end from asked cross join lateral (${rolesOfUser('asked.id')}) given
  ), everywhere as (${platformRoles('user')}
  )
  select held.id as tenant,
    coalesce(t.status = 'active', false) as open,
    case when t.status = 'suspended' then t.name else '' end as suspended_name,
    (select m.status from tenant_member m where m.tenant = held.id and m.user_id = $1) as membership,
    ${barred} as barred,
    jsonb_object(held.roles, held.grants) as roles,
    ${customPermissions('held.id')} as custom,
    jsonb_object(everywhere.roles, everywhere.grants) as platform_roles,
    jsonb_object(held.roles, held.ends) as role_ends,
    jsonb_object(everywhere.roles, everywhere.ends) as platform_role_ends,
    ${lacksSso('$3')} as lacks_sso,
    ${missesFactor('$3', '$4', '$5')} as lacks_factor,
    ${msUntil(`least(held.first_end, everywhere.first_end, ${nextDemand})`)} as unchanged_ms,
    t.settings
  from held cross join everywhere left join tenant t on t.id = held.id and t.status in ('active', 'suspended')`,
  between: "without a tenant in the request, the user's only tenant is used",
};

export async function findUserRoles(
  run: Run,
  userId: string,
  tenant: string,
  proof: SessionProof,
): Promise<RolesRow | undefined> {
  const rows = await run(userRoles, [userId, tenant, ...proofValues(proof)]);
  return rows[0];
}

export type BotRolesRow = {
  /** Whether the tenant in question is active. */
  open: boolean;
  /** Whether the bot's own tenant is active. */
  own_open: boolean;
  /** Whether the bot is inactive or deleted. */
  barred: boolean;
  /** Roles in the bot's own tenant. */
  roles: GrantedRoles;
  custom: CustomPermissions;
  platform_roles: GrantedRoles;
  role_ends?: RoleEnds;
  platform_role_ends?: RoleEnds;
  /** How long the row stays the same without a change, in ms; null = always. */
  unchanged_ms: number | null;
};

const botRoles: Statement<BotRolesRow, [botId: string, tenant: string, botTenant: string]> = {
  name: 'access.bot_roles',
  text: `
  with held as materialized (
    select ${rolesAndGrants} from (
      select g.role, min(g.id) as id, ${bothEnds} from grant_entry g
      where g.tenant = $3 and g.tenant <> '' and g.subject_type = 'bot' and g.subject = $1 and g.resource = '' and ${alive} group by g.role
    ) of_role
  ), everywhere as (${platformRoles('bot')}
  )
  select exists (select 1 from tenant t where t.id = $2 and t.status = 'active') as open,
    exists (select 1 from tenant t where t.id = $3 and t.status = 'active') as own_open,
    ${barred} as barred,
    jsonb_object(held.roles, held.grants) as roles,
    ${customPermissions('$3')} as custom,
    jsonb_object(everywhere.roles, everywhere.grants) as platform_roles,
    jsonb_object(held.roles, held.ends) as role_ends,
    jsonb_object(everywhere.roles, everywhere.ends) as platform_role_ends,
    ${msUntil('least(held.first_end, everywhere.first_end)')} as unchanged_ms
  from held cross join everywhere`,
};

export async function findBotRoles(
  run: Run,
  botId: string,
  tenant: string,
  botTenant: string,
): Promise<BotRolesRow | undefined> {
  const rows = await run(botRoles, [botId, tenant, botTenant]);
  return rows[0];
}

const activeTenant: Statement<unknown, [tenant: string]> = {
  name: 'access.active_tenant',
  text: `select 1 as one from tenant where id = $1 and status = 'active'`,
};

export async function isActiveTenant(run: Run, tenant: string): Promise<boolean> {
  return (await run(activeTenant, [tenant])).length > 0;
}

export type TenantRolesRow = { tenant: string; roles: string[]; custom: CustomPermissions };

const rolesEverywhere: Statement<TenantRolesRow, [userId: string, ...proof: ProofValues]> = {
  name: 'access.roles_everywhere',
  text: `
  select m.tenant, held.roles, ${customPermissions('m.tenant')} as custom
  from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
  cross join lateral (${rolesOfUser('m.tenant')}) held
  where m.user_id = $1 and m.status = 'active' and not ${barred} and not (${lacksSso('$2')}) and not ${missesFactor('$2', '$3', '$4')}`,
  across: "lists the user's own roles in each tenant",
};

/** A user's roles in every tenant where they take effect. */
export function findRolesEverywhere(
  run: Run,
  userId: string,
  proof: SessionProof,
): Promise<TenantRolesRow[]> {
  return run(rolesEverywhere, [userId, ...proofValues(proof)]);
}

const sharesTenant: Statement<
  unknown,
  [userId: string, everywhere: boolean, tenants: string, readerId: string, ...proof: ProofValues]
> = {
  name: 'access.shares_tenant',
  text: `
  select 1 as one from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
  where m.user_id = $1 and m.status <> 'barred'
    and (m.tenant = any (string_to_array($3, ',')) or ($2 and not ${demandsMore('$5', '$6', '$7')}))
    and not exists (select 1 from tenant_member r where r.tenant = m.tenant and r.user_id = $4 and r.status <> 'active')
  limit 1`,
  across: 'the caller may see a user of a tenant that the caller may see',
};

/** Whether a user is a member of a tenant within the reader's reach. */
export async function isMemberWithin(
  run: Run,
  userId: string,
  { everywhere, tenants, ...proof }: Reach,
  readerId: string,
): Promise<boolean> {
  const rows = await run(sharesTenant, [
    userId,
    everywhere,
    tenants.join(','),
    readerId,
    ...proofValues(proof),
  ]);
  return rows.length > 0;
}
