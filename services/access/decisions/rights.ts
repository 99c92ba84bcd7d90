import { type Permission, permissionBitmap, permissions } from '@bailiwick/proto/permissions.ts';
import { type Run } from '@bailiwick/shared/orm.ts';
import { type Level, ownerRole, permissionsOf, platformOwnerRole } from '../roles/builtin.ts';
import { includes, isPlatformOnly } from '../roles/match.ts';
import {
  type CustomPermissions,
  findBotRoles,
  findRolesEverywhere,
  findUserRoles,
  type GrantedRoles,
  isActiveTenant,
  type Reach,
  type RolesRow,
} from './queries.ts';

// What a principal may do: the union of what is granted to it, and nothing by default.

export type Principal = {
  type: string;
  id: string;
  /** A bot's own tenant. */
  botTenant?: string;
  /** What a bot's key is narrowed to; empty = not narrowed. */
  narrowedTo?: readonly string[];
  /**
   * The tenant of the provider that a person's session came from, "" = it came from none. Where the question is what
   * somebody holds who is not calling, it is the tenant in question: how they are signed in says nothing then.
   */
  ssoTenant: string;
  /** The only tenant in which a person's session holds rights, "" = it is not limited. Platform grants do not count in such a session. */
  limitedTo: string;
};

/** What one grant gives. */
type Source = { grant: string; level: Level; permissions: readonly string[] };

export type Rights = {
  /** The tenant these are for; "" where none was named and none could be told. */
  tenant: string;
  /** Permissions that hold in the tenant, granted there or on the platform. Platform-only ones do not count among them. */
  inTenant: readonly string[];
  onPlatform: readonly string[];
  /** Where these come from; none for the key of the installation. */
  sources: readonly Source[];
  /** What the principal may give to others in the tenant. */
  confers: readonly string[];
  narrowedTo: readonly string[];
  /** Whether an active member has none of it because the session lacks single sign-on, which the tenant requires. */
  ssoRequired: boolean;
  /** What the tenant demands of the session: of its active members alone. */
  demands: SessionDemands;
  /** The tenant's name where it is suspended and the principal is an active member of it; "" otherwise. */
  suspendedName: string;
};

/** 0 and false = nothing beyond what holds for every session. */
export type SessionDemands = { idleMinutes: number; maxMinutes: number; recentLogin: boolean };

const noDemands: SessionDemands = { idleMinutes: 0, maxMinutes: 0, recentLogin: false };

function demandsOf({ open, membership, lacks_sso: lacksSso, settings }: RolesRow): SessionDemands {
  if (!open || membership !== 'active' || lacksSso || !settings) return noDemands;
  const {
    sessionIdleMinutes: idleMinutes = 0,
    sessionMaxMinutes: maxMinutes = 0,
    recentLogin = false,
  } = settings;
  return { idleMinutes, maxMinutes, recentLogin };
}

const none = (tenant: string): Rights => ({
  tenant,
  inTenant: [],
  onPlatform: [],
  sources: [],
  confers: [],
  narrowedTo: [],
  ssoRequired: false,
  demands: noDemands,
  suspendedName: '',
});

/**
 * Nobody confers what they lack, but for one thing: whoever owns a tenant decides who in it may use an application,
 * without needing each of the application's permissions for themselves.
 */
function confersOf(inTenant: readonly string[], owns: boolean): readonly string[] {
  return owns && inTenant.length > 0 ? [...inTenant, '*'] : inTenant;
}

function sourcesOf(roles: GrantedRoles, custom: CustomPermissions, level: Level): Source[] {
  const own = new Map(Object.entries(custom));
  return Object.entries(roles).map(([role, grant]) => ({
    grant,
    level,
    permissions: [...permissionsOf(role, level), ...(own.get(role) ?? [])],
  }));
}

const permissionsIn = (sources: readonly Source[]): string[] => [
  ...new Set(sources.flatMap(({ permissions }) => permissions)),
];

export const permissionsOfRoles = (roles: readonly string[], level: Level): string[] => [
  ...new Set(roles.flatMap((role) => permissionsOf(role, level))),
];

/** The rights of a principal in a tenant ("" = its only one) and on the platform. */
export function rightsOf(run: Run, principal: Principal, tenant: string): Promise<Rights> {
  switch (principal.type) {
    case 'user':
      return rightsOfUser(run, principal, tenant);
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
  { id, ssoTenant, limitedTo }: Principal,
  asked: string,
): Promise<Rights> {
  if (limitedTo !== '' && asked !== '' && asked !== limitedTo) return none(asked);
  const row = await findUserRoles(run, id, asked || limitedTo, ssoTenant);
  if (!row || row.barred) return none(row?.tenant ?? asked);
  const open = row.open && !row.lacks_sso;
  // A platform-level grant holds in every tenant that is there, but not in one that has shut this member or session out.
  const everywhere = open && (row.membership ?? 'active') === 'active';
  const platform_roles = limitedTo === '' ? row.platform_roles : {};
  const held = rightsBy(row.tenant, {
    ...row,
    platform_roles,
    roles: open && row.membership === 'active' ? row.roles : {},
    everywhere,
  });
  if (row.membership !== 'active') return held;
  return {
    ...held,
    ssoRequired: row.open && row.lacks_sso,
    demands: demandsOf(row),
    suspendedName: row.suspended_name,
  };
}

async function rightsOfBot(
  run: Run,
  { id, botTenant = '', narrowedTo = [] }: Principal,
  asked: string,
): Promise<Rights> {
  const tenant = asked || botTenant;
  const row = await findBotRoles(run, id, tenant, botTenant);
  // A suspended tenant's bots hold nothing at all, wherever it was granted.
  if (!row?.own_open || row.barred) return none(tenant);
  return {
    ...rightsBy(tenant, {
      ...row,
      roles: tenant === botTenant ? row.roles : {},
      everywhere: row.open,
    }),
    narrowedTo,
  };
}

type Granted = Pick<RolesRow, 'roles' | 'custom' | 'platform_roles'> & {
  /** Whether what is granted on the platform holds in this tenant. */
  everywhere: boolean;
};

function rightsBy(
  tenant: string,
  { roles, custom, platform_roles: platformRoles, everywhere }: Granted,
): Rights {
  const own = sourcesOf(roles, custom, 'tenant');
  const platform = sourcesOf(platformRoles, {}, 'platform');
  const onPlatform = permissionsIn(platform);
  const inTenant = [...permissionsIn(own), ...(everywhere ? onPlatform : [])];
  const owns = ownerRole in roles || (everywhere && platformOwnerRole in platformRoles);
  return {
    ...none(tenant),
    inTenant,
    onPlatform,
    sources: [...own, ...platform],
    confers: confersOf(inTenant, owns),
  };
}

/** The key of the installation: a platform owner that is no record. */
async function rightsOfPlatform(run: Run, tenant: string): Promise<Rights> {
  const onPlatform = permissionsOf(platformOwnerRole, 'platform');
  const open = tenant !== '' && (await isActiveTenant(run, tenant));
  const inTenant = open ? onPlatform : [];
  return { ...none(tenant), inTenant, onPlatform, confers: confersOf(inTenant, true) };
}

const within = (granted: readonly string[], { narrowedTo }: Rights, permission: string) =>
  includes(granted, permission) && (narrowedTo.length === 0 || includes(narrowedTo, permission));

/** Whether rights include a permission, or all that a pattern stands for, in their tenant. */
export const holdsInTenant = (rights: Rights, permission: string): boolean =>
  !isPlatformOnly(permission) && within(rights.inTenant, rights, permission);

/** Whether the principal may give others a permission, or all that a pattern stands for, in the tenant of its rights. */
export const mayConfer = (rights: Rights, permission: string): boolean =>
  !isPlatformOnly(permission) && within(rights.confers, rights, permission);

export const holdsOnPlatform = (rights: Rights, permission: string): boolean =>
  within(rights.onPlatform, rights, permission);

/** Rights in the form of a caller token. */
export function tokenRightsOf(rights: Rights) {
  return {
    permissions: permissionBitmap((permission: Permission) => holdsInTenant(rights, permission)),
    platformPermissions: permissionBitmap((permission: Permission) =>
      holdsOnPlatform(rights, permission),
    ),
    grants: grantsOf(rights),
  };
}

/** Which grant gives each permission: of several one of the tenant's own, and none that gives nothing beyond the others. */
function grantsOf(rights: Rights) {
  const told = new Set<Permission>();
  const grants = rights.sources.map(({ grant, level, permissions: given }) => {
    const holds = (permission: Permission) =>
      holdsInTenant(rights, permission) ||
      (level === 'platform' && holdsOnPlatform(rights, permission));
    const gives = permissions.filter(
      (permission) => !told.has(permission) && includes(given, permission) && holds(permission),
    );
    for (const permission of gives) told.add(permission);
    return { id: grant, gives };
  });
  return grants
    .filter(({ gives }) => gives.length > 0)
    .map(({ id, gives }) => ({
      id,
      permissions: permissionBitmap((permission) => gives.includes(permission)),
    }));
}

/** The tenants in which a principal holds a permission. */
export async function reachOf(run: Run, principal: Principal, permission: string): Promise<Reach> {
  const rights = await rightsOf(run, principal, '');
  const everywhere = holdsOnPlatform(rights, permission);
  if (principal.type !== 'user')
    return {
      everywhere,
      tenants: holdsInTenant(rights, permission) ? [rights.tenant] : [],
      ssoTenant: null,
    };
  const { id, ssoTenant, limitedTo } = principal;
  const rows = await findRolesEverywhere(run, id, ssoTenant);
  const tenants = rows
    .filter(({ tenant }) => limitedTo === '' || tenant === limitedTo)
    .filter(({ roles, custom }) =>
      includes(
        [...permissionsOfRoles(roles, 'tenant'), ...Object.values(custom).flat()],
        permission,
      ),
    )
    .map(({ tenant }) => tenant);
  return { everywhere, tenants, ssoTenant };
}
