import { type Run } from '@bailiwick/shared/orm.ts';
import { type Permission, permissionBitmap } from '@bailiwick/proto/permissions.ts';
import { type Level, ownerRole, permissionsOf, platformOwnerRole } from '../roles/builtin.ts';
import { includes, isPlatformOnly } from '../roles/match.ts';
import { findBotRoles, findRolesEverywhere, findUserRoles, isActiveTenant, type Reach, type RolesRow } from './queries.ts';

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
};

export type Rights = {
  /** The tenant these are for; "" where none was named and none could be told. */
  tenant: string;
  /** The roles granted in that tenant itself. */
  roles: readonly string[];
  /** Permissions that hold in the tenant, granted there or on the platform. Platform-only ones do not count among them. */
  inTenant: readonly string[];
  onPlatform: readonly string[];
  /** What the principal may give to others in the tenant. */
  confers: readonly string[];
  narrowedTo: readonly string[];
  /** Whether an active member has none of it because the session lacks single sign-on, which the tenant requires. */
  ssoRequired: boolean;
  /** What the tenant demands of the session: of its active members alone. */
  demands: SessionDemands;
};

/** 0 and false = nothing beyond what holds for every session. */
export type SessionDemands = { idleMinutes: number; maxMinutes: number; recentLogin: boolean };

const noDemands: SessionDemands = { idleMinutes: 0, maxMinutes: 0, recentLogin: false };

function demandsOf({ membership, lacks_sso: lacksSso, settings }: RolesRow): SessionDemands {
  if (membership !== 'active' || lacksSso || !settings) return noDemands;
  const { sessionIdleMinutes: idleMinutes = 0, sessionMaxMinutes: maxMinutes = 0, recentLogin = false } = settings;
  return { idleMinutes, maxMinutes, recentLogin };
}

const none = (tenant: string): Rights => ({
  tenant,
  roles: [],
  inTenant: [],
  onPlatform: [],
  confers: [],
  narrowedTo: [],
  ssoRequired: false,
  demands: noDemands,
});

/**
 * Nobody confers what they lack, but for one thing: whoever owns a tenant decides who in it may use an application,
 * without needing each of the application's permissions for themselves.
 */
function confersOf(inTenant: readonly string[], owns: boolean): readonly string[] {
  return owns && inTenant.length > 0 ? [...inTenant, '*'] : inTenant;
}

export const permissionsOfRoles = (roles: readonly string[], level: Level): string[] => [...new Set(roles.flatMap((role) => permissionsOf(role, level)))];

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

async function rightsOfUser(run: Run, { id, ssoTenant }: Principal, asked: string): Promise<Rights> {
  const row = await findUserRoles(run, id, asked, ssoTenant);
  if (!row || row.barred) return none(row?.tenant ?? asked);
  const open = row.open && !row.lacks_sso;
  const roles = open && row.membership === 'active' ? row.roles : [];
  const onPlatform = permissionsOfRoles(row.platform_roles, 'platform');
  // A platform-level grant holds in every tenant that is there, but not in one that has shut this member or session out.
  const everywhere = open && (row.membership ?? 'active') === 'active' ? onPlatform : [];
  const inTenant = [...permissionsOfRoles(roles, 'tenant'), ...(roles.length > 0 ? row.custom : []), ...everywhere];
  const confers = confersOf(inTenant, roles.includes(ownerRole) || (everywhere.length > 0 && row.platform_roles.includes(platformOwnerRole)));
  const ssoRequired = row.lacks_sso && row.membership === 'active';
  return { ...none(row.tenant), roles, inTenant, onPlatform, confers, ssoRequired, demands: demandsOf(row) };
}

async function rightsOfBot(run: Run, { id, botTenant = '', narrowedTo = [] }: Principal, asked: string): Promise<Rights> {
  const tenant = asked || botTenant;
  const row = await findBotRoles(run, id, tenant, botTenant);
  // A suspended tenant's bots hold nothing at all, wherever it was granted.
  if (!row?.own_open || row.barred) return none(tenant);
  const roles = tenant === botTenant ? row.roles : [];
  const onPlatform = permissionsOfRoles(row.platform_roles, 'platform');
  const inTenant = [...permissionsOfRoles(roles, 'tenant'), ...(roles.length > 0 ? row.custom : []), ...(row.open ? onPlatform : [])];
  const confers = confersOf(inTenant, roles.includes(ownerRole) || (row.open && row.platform_roles.includes(platformOwnerRole)));
  return { ...none(tenant), roles, inTenant, onPlatform, confers, narrowedTo };
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
export const holdsInTenant = (rights: Rights, permission: string): boolean => !isPlatformOnly(permission) && within(rights.inTenant, rights, permission);

/** Whether the principal may give others a permission, or all that a pattern stands for, in the tenant of its rights. */
export const mayConfer = (rights: Rights, permission: string): boolean => !isPlatformOnly(permission) && within(rights.confers, rights, permission);

export const holdsOnPlatform = (rights: Rights, permission: string): boolean => within(rights.onPlatform, rights, permission);

/** Rights in the form of a caller token. */
export function bitmapsOf(rights: Rights) {
  return {
    permissions: permissionBitmap((permission: Permission) => holdsInTenant(rights, permission)),
    platformPermissions: permissionBitmap((permission: Permission) => holdsOnPlatform(rights, permission)),
  };
}

/** The tenants in which a principal holds a permission. */
export async function reachOf(run: Run, principal: Principal, permission: string): Promise<Reach> {
  const rights = await rightsOf(run, principal, '');
  const everywhere = holdsOnPlatform(rights, permission);
  if (principal.type !== 'user') return { everywhere, tenants: holdsInTenant(rights, permission) ? [rights.tenant] : [], ssoTenant: null };
  const { id, ssoTenant } = principal;
  const rows = await findRolesEverywhere(run, id, ssoTenant);
  const tenants = rows.filter(({ roles, custom }) => includes([...permissionsOfRoles(roles, 'tenant'), ...custom], permission)).map(({ tenant }) => tenant);
  return { everywhere, tenants, ssoTenant };
}
