import {
  common,
  includes,
  readVoucher,
  type SessionProof,
  type SessionRefusal,
  sessionProof,
  supportCaller,
} from '@bailiwick/contract';
import type { Run } from '@bailiwick/store';
import { type Level, ownerRole, permissionsOf, platformOwnerRole } from '../permissions/builtin.ts';
import { grantedBy, withinCap } from './cap.ts';
import {
  type CustomPermissions,
  findBotRoles,
  findRolesEverywhere,
  findUserRoles,
  type GrantedRoles,
  isActiveTenant,
  type RoleEnds,
  type RolesRow,
} from './queries.ts';
import { holdsInTenant, holdsOnPlatform } from './rights-checks.ts';
import { anySession, noSession, type Reach } from './session.ts';
import type { Cap, Rights, SessionDemands, Source } from './values.ts';

// The permissions of a principal: the union of its grants, and nothing by default.

export type Principal = SessionProof & {
  type: string;
  id: string;
  /** A bot's own tenant. */
  botTenant?: string;
  /** The permissions that a bot's key or an access token is narrowed to; empty = not narrowed. */
  narrowedTo?: readonly string[];
};

const noDemands: SessionDemands = { idleMinutes: 0, maxMinutes: 0, recentLogin: false };

function demandsOf(row: RolesRow): SessionDemands {
  const { settings } = row;
  if (!row.open || row.membership !== 'active' || failsRequirements(row) || !settings)
    return noDemands;
  const {
    sessionIdleMinutes: idleMinutes = 0,
    sessionMaxMinutes: maxMinutes = 0,
    recentLogin = false,
  } = settings;
  return { idleMinutes, maxMinutes, recentLogin };
}

/** Whether the session lacks what the tenant requires. */
const failsRequirements = ({ lacks_sso: lacksSso, lacks_factor: lacksFactor }: RolesRow): boolean =>
  lacksSso || lacksFactor;

/** The refusal of an active member's session. */
function refusalIn(row: RolesRow): SessionRefusal {
  if (row.suspended_name !== '') return 'suspended';
  if (!row.open) return 'not_member';
  if (row.lacks_sso) return row.settings?.requireSso === true ? 'sso_required' : 'method_refused';
  return row.lacks_factor ? 'factor_required' : 'none';
}

const none = (tenant: string): Rights => ({
  tenant,
  inTenant: [],
  onPlatform: [],
  roles: [],
  sources: [],
  grantable: [],
  owns: false,
  narrowedTo: [],
  refusal: 'not_member',
  demands: noDemands,
  suspendedName: '',
  cap: undefined,
  unchangedMs: Number.POSITIVE_INFINITY,
});

/**
 * A principal may grant the permissions that it has. One exception: an owner of a tenant may grant
 * any application permission there without having it.
 */
function grantablePatterns(inTenant: readonly string[], owns: boolean): readonly string[] {
  return owns && inTenant.length > 0 ? [...inTenant, '*'] : inTenant;
}

type RoleGrants = { roles: GrantedRoles; custom: CustomPermissions; ends: RoleEnds | undefined };

function sourcesOf({ roles, custom, ends = {} }: RoleGrants, level: Level): Source[] {
  const own = new Map(Object.entries(custom));
  return Object.entries(roles).map(([role, grant]) => ({
    grant,
    role,
    level,
    endsAt: Number(ends[role] ?? Number.POSITIVE_INFINITY),
    // A tenant may have had a role of its own before a built-in one got its slug.
    permissions: own.get(role) ?? permissionsOf(role, level),
  }));
}

const permissionsIn = (sources: readonly Source[]): string[] => [
  ...new Set(sources.flatMap(({ permissions }) => permissions)),
];

export const permissionsOfRoles = (roles: readonly string[], level: Level): string[] => [
  ...new Set(roles.flatMap((role) => permissionsOf(role, level))),
];

/** The rights of a principal in a tenant ("" = the user's only one) and on the platform. */
export function rightsOf(run: Run, principal: Principal, tenant: string): Promise<Rights> {
  switch (principal.type) {
    case 'user':
      return rightsOfUser(run, principal, tenant);
    case supportCaller:
      // A support session without an operator is no support session.
      return principal.operator === ''
        ? Promise.resolve(none(tenant))
        : rightsOfUser(run, principal, tenant);
    case 'bot':
      return rightsOfBot(run, principal, tenant);
    case 'platform':
      return rightsOfPlatform(run, tenant);
    default:
      return Promise.resolve(none(tenant));
  }
}

async function rightsOfUser(
  run: Run,
  principal: Principal,
  requestedTenant: string,
): Promise<Rights> {
  const { id, limitedTo, operator, narrowedTo = [] } = principal;
  if (limitedTo !== '' && requestedTenant !== '' && requestedTenant !== limitedTo)
    return rightsElsewhere(run, principal, requestedTenant);
  const row = await findUserRoles(run, id, requestedTenant || limitedTo, sessionProof(principal));
  if (!row || row.barred) return none(row?.tenant ?? requestedTenant);
  const open = row.open && !failsRequirements(row);
  // A platform grant is effective in every active tenant, unless the tenant has disabled this
  // member or blocks this session.
  const everywhere = open && (row.membership ?? 'active') === 'active';
  const platform_roles = limitedTo === '' && operator === '' ? row.platform_roles : {};
  const roles = open && row.membership === 'active' ? row.roles : {};
  const whole = rightsBy(row.tenant, { ...row, platform_roles, roles, everywhere });
  const rights = {
    ...withinCap(whole, await findCap(run, principal.voucher, row.tenant)),
    narrowedTo,
  };
  if (row.membership !== 'active') return rights;
  return {
    ...rights,
    refusal: refusalIn(row),
    demands: demandsOf(row),
    suspendedName: row.suspended_name,
  };
}

/** A session that is limited to another tenant has no rights. Another session of a member may. */
async function rightsElsewhere(run: Run, principal: Principal, tenant: string): Promise<Rights> {
  const row = await findUserRoles(run, principal.id, tenant, sessionProof(principal));
  const isMember = row?.open === true && row.membership === 'active' && !row.barred;
  return { ...none(tenant), refusal: isMember ? 'other_tenant' : 'not_member' };
}

/**
 * The limit of a session with a voucher. It is computed from the present rights of the principals,
 * in the tenant only: such a session has rights nowhere else.
 */
export async function findCap(run: Run, voucher: string, tenant: string): Promise<Cap | undefined> {
  const answering = readVoucher(voucher);
  if (answering.length === 0) return undefined;
  const principals = await Promise.all(
    answering.map(async (principal) => ({
      id: principal.id,
      botTenant: principal.botTenant ?? '',
      rights: await rightsOf(run, { ...principal, ...anySession(tenant) }, tenant),
    })),
  );
  const patterns = principals.reduce<readonly string[]>(
    (all, { rights }) => common(all, grantedBy(rights)),
    ['*'],
  );
  return { patterns, principals };
}

async function rightsOfBot(
  run: Run,
  { id, botTenant = '', limitedTo, narrowedTo = [] }: Principal,
  requestedTenant: string,
): Promise<Rights> {
  const tenant = requestedTenant || botTenant;
  const row = await findBotRoles(run, id, tenant, botTenant);
  // Bots of a suspended tenant have no rights anywhere, despite their grants.
  if (!row?.own_open || row.barred) return none(tenant);
  return {
    ...rightsBy(tenant, {
      ...row,
      platform_roles: limitedTo === '' ? row.platform_roles : {},
      roles: tenant === botTenant ? row.roles : {},
      everywhere: row.open,
    }),
    narrowedTo,
  };
}

type EffectiveRoles = Pick<
  RolesRow,
  'roles' | 'custom' | 'platform_roles' | 'role_ends' | 'platform_role_ends' | 'unchanged_ms'
> & {
  /** Whether platform grants are effective in this tenant. */
  everywhere: boolean;
};

function rightsBy(
  tenant: string,
  { roles, custom, platform_roles: platformRoles, everywhere, ...ends }: EffectiveRoles,
): Rights {
  const own = sourcesOf({ roles, custom, ends: ends.role_ends }, 'tenant');
  const platform = sourcesOf(
    { roles: platformRoles, custom: {}, ends: ends.platform_role_ends },
    'platform',
  );
  const onPlatform = permissionsIn(platform);
  const inTenant = [...permissionsIn(own), ...(everywhere ? onPlatform : [])];
  const owns = ownerRole in roles || (everywhere && platformOwnerRole in platformRoles);
  return {
    ...none(tenant),
    inTenant,
    onPlatform,
    roles: Object.keys(roles),
    sources: [...own, ...platform],
    grantable: grantablePatterns(inTenant, owns),
    owns: owns && inTenant.length > 0,
    unchangedMs: ends.unchanged_ms ?? Number.POSITIVE_INFINITY,
  };
}

/** The platform key has the rights of a platform owner, without a stored grant. */
async function rightsOfPlatform(run: Run, tenant: string): Promise<Rights> {
  const onPlatform = permissionsOf(platformOwnerRole, 'platform');
  const open = tenant !== '' && (await isActiveTenant(run, tenant));
  const inTenant = open ? onPlatform : [];
  const grantable = grantablePatterns(inTenant, true);
  return { ...none(tenant), inTenant, onPlatform, grantable, owns: open };
}

/** The tenants in which a principal has a permission. */
export async function reachOf(run: Run, principal: Principal, permission: string): Promise<Reach> {
  const rights = await rightsOf(run, principal, '');
  const everywhere = holdsOnPlatform(rights, permission);
  if (principal.type !== 'user')
    return {
      everywhere,
      tenants: holdsInTenant(rights, permission) ? [rights.tenant] : [],
      ...noSession,
    };
  const { narrowedTo = [] } = principal;
  const session = sessionProof(principal);
  const { limitedTo, operator: _operator, voucher: _voucher, ...proof } = session;
  if (narrowedTo.length > 0 && !includes(narrowedTo, permission))
    return { everywhere, tenants: [], ...proof };
  // Such a session is limited to one tenant.
  if (rights.cap)
    return {
      everywhere,
      tenants: holdsInTenant(rights, permission) ? [rights.tenant] : [],
      ...proof,
    };
  const rows = await findRolesEverywhere(run, principal.id, session);
  const tenants = rows
    .filter(({ tenant }) => limitedTo === '' || tenant === limitedTo)
    .filter(({ roles, custom }) =>
      includes(
        [...permissionsOfRoles(roles, 'tenant'), ...Object.values(custom).flat()],
        permission,
      ),
    )
    .map(({ tenant }) => tenant);
  return { everywhere, tenants, ...proof };
}
