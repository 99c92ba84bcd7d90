import {
  assertRecentLogin,
  type Caller,
  type SessionProof,
  sessionProof,
} from '@bailiwick/contract';
import { denied, escalation, temporaryRight } from '@bailiwick/errors';
import type { Run, Transaction } from '@bailiwick/store';
import { isTenantRole, type Level, ownerRole } from '../permissions/builtin.ts';
import { endOf } from './ends.ts';
import { permissionsOfRoles, rightsOf } from './rights.ts';
import { holdsOnPlatform, mayGrant, ownership } from './rights-checks.ts';
import { findRolePermissions, findRolesOfSubject, type HolderType } from './roles/queries.ts';
import { anySession } from './session.ts';
import type { Rights } from './values.ts';

// Delegation: a giver grants and takes only permissions that it may grant, on every path. Rules go
// by permissions and not by the names of roles, except that only owners make and remove owners.

/** A principal whose rights are compared with those that it gives or takes. */
export type Giver = Pick<Caller, 'type' | 'id' | 'tenant' | 'narrowedTo'> & SessionProof;

/**
 * The giver of something that takes effect later: an invitation, an offer, the key of a directory,
 * a provider. Its rights are read at the time of the effect.
 */
export type LaterGiver = {
  type: string;
  id: string;
  narrowedTo: readonly string[];
  limitedTo?: string;
  voucher?: string;
};

export const storedGiver = ({ type, id, narrowedTo, limitedTo, voucher }: Giver): LaterGiver => ({
  type,
  id,
  narrowedTo: [...narrowedTo],
  limitedTo,
  voucher,
});

/**
 * Whether a person gives up own rights. A session under a voucher may belong to the author of a change of its
 * provider.
 */
export const isOneself = ({ type, id, voucher }: Caller, userId: string): boolean =>
  type === 'user' && id === userId && voucher === '';

/** Whether a caller gives up a role of its own. */
export const isOwnGrant = (
  caller: Caller,
  { subjectType, subject }: { subjectType: string; subject: string },
): boolean =>
  caller.type === subjectType &&
  (caller.type === 'bot' ? caller.id === subject : isOneself(caller, subject));

/** The session of that time does not matter, except that its limits stay. */
export const giverLater = (
  tenant: string,
  { type, id, narrowedTo, limitedTo = '', voucher = '' }: LaterGiver,
): Giver => ({
  type,
  id,
  tenant,
  narrowedTo: [...narrowedTo],
  ...anySession(tenant),
  limitedTo,
  voucher,
});

/**
 * Throws permission_denied unless the caller itself may grant, in the whole tenant, every
 * permission of the roles until a time, null = without an end. Reads the caller's current rights.
 */
export async function assertMayGrant(
  tx: Transaction,
  caller: Caller,
  tenant: string,
  roles: readonly string[],
  until: Date | null = null,
): Promise<void> {
  if (roles.includes(ownerRole)) assertRecentLogin(caller);
  const run = tx.query;
  const lacking = await findLacking(run, caller, tenant, { roles });
  if (lacking !== undefined) throw escalation(lacking);
  await assertLasts(run, caller, tenant, { roles }, until);
}

/** Throws permission_denied if a right would be passed on past its end. */
async function assertLasts(
  run: Run,
  giver: Giver,
  tenant: string,
  delegation: Delegation,
  until: Date | null,
): Promise<void> {
  const ending = await findEnding(run, giver, tenant, delegation);
  if (ending && (until === null || until > ending.endsAt))
    throw temporaryRight(ending.permission, ending.endsAt);
}

/**
 * Throws permission_denied unless the caller may put these permissions into a role, or take them
 * out of it.
 */
export async function assertMayGrantPermissions(
  tx: Transaction,
  caller: Caller,
  tenant: string,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<void> {
  const run = tx.query;
  const lacking = await lackingTo(run, caller, tenant, { roles: [], permissions: added });
  if (lacking !== undefined) throw escalation(lacking);
  await assertLasts(run, caller, tenant, { roles: [], permissions: added }, null);
  const lackingToRemove = await lackingTo(run, caller, tenant, { roles: [], permissions: removed });
  if (lackingToRemove !== undefined) throw takesMore(lackingToRemove);
}

/**
 * Throws permission_denied unless the caller may grant every permission of these roles: by hand,
 * a caller takes only rights that it may give.
 */
export async function assertMayTake(
  tx: Transaction,
  caller: Caller,
  tenant: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(ownerRole)) assertRecentLogin(caller);
  const lacking = await findLacking(tx.query, caller, tenant, { roles });
  if (lacking !== undefined) throw takesMore(lacking);
}

const takesMore = (permission: string) =>
  denied(`the target holds ${permission}, which the caller may not grant`, 'ESCALATION', {
    Permission: permission,
  });

type Delegation = { roles: readonly string[]; permissions?: readonly string[] };

/**
 * A permission, of the roles' and of `permissions`, that the giver may not grant in a tenant;
 * undefined = it may grant all.
 */
export async function findLacking(
  run: Run,
  giver: Giver,
  tenant: string,
  { roles, permissions = [] }: Delegation,
): Promise<string | undefined> {
  return lackingTo(run, giver, tenant, {
    roles,
    permissions: [...permissions, ...(await permissionsGivenBy(run, tenant, roles))],
  });
}

/** A holder of rights in a tenant: a user, a bot, or a group with those above it. */
export type Holder = { tenant: string; type: HolderType; id: string };

/**
 * The roles of a holder in the tenant, on any resource. A user's include those of its groups,
 * whether or not the membership is active.
 */
export const rolesOf = (run: Run, { tenant, type, id }: Holder): Promise<string[]> =>
  findRolesOfSubject(run, tenant, type, id);

/** The first of these permissions that ends, and when. */
export type Ending = { permission: string; endsAt: Date };

/**
 * The first end of the principal's rights to permissions, of the roles' and of `permissions`, that
 * it may grant in a tenant; undefined = they do not end.
 */
export async function findEnding(
  run: Run,
  giver: Giver,
  tenant: string,
  { roles, permissions = [] }: Delegation,
): Promise<Ending | undefined> {
  const allPermissions = [...permissions, ...(await permissionsGivenBy(run, tenant, roles))];
  if (allPermissions.length === 0) return undefined;
  const rights = await rightsIn(run, giver, tenant);
  return firstEnding(rights, allPermissions, tenant === '' ? 'platform' : 'tenant');
}

/** The first end of a principal's rights to these permissions; undefined = they do not end. */
export function firstEnding(
  rights: Rights,
  permissions: readonly string[],
  level: Level,
): Ending | undefined {
  const ends = permissions.map((permission) => ({
    permission,
    end: endOf(rights, permission, level),
  }));
  const first = Math.min(...ends.map(({ end }) => end));
  if (first === Number.POSITIVE_INFINITY) return undefined;
  const permission = ends.find(({ end }) => end === first)?.permission ?? '';
  return { permission, endsAt: new Date(first) };
}

/** The permissions of roles in a tenant, or on the platform if `tenant` is "". */
async function permissionsGivenBy(
  run: Run,
  tenant: string,
  roles: readonly string[],
): Promise<string[]> {
  if (tenant === '') return permissionsOfRoles(roles, 'platform');
  const ownRoles = roles.filter((role) => !isTenantRole(role));
  return [
    ...permissionsOfRoles(roles, 'tenant'),
    ...(ownRoles.length > 0 ? await findRolePermissions(run, tenant, ownRoles) : []),
  ];
}

async function lackingTo(
  run: Run,
  giver: Giver,
  tenant: string,
  { roles, permissions }: { roles: readonly string[]; permissions: readonly string[] },
): Promise<string | undefined> {
  if (permissions.length === 0) return undefined;
  const rights = await rightsIn(run, giver, tenant);
  if (tenant === '') return permissions.find((pattern) => !holdsOnPlatform(rights, pattern));
  const lacking = permissions.find((pattern) => !mayGrant(rights, pattern));
  if (lacking !== undefined) return lacking;
  return roles.includes(ownerRole) && !rights.owns ? ownership : undefined;
}

function rightsIn(run: Run, giver: Giver, tenant: string): Promise<Rights> {
  const { type, id, tenant: own, narrowedTo } = giver;
  // A bot has grants in its own tenant and on the platform only, so the tenant in question can be
  // passed as the bot's. Calls of a bot whose own tenant is suspended do not get here.
  const principal = { type, id, botTenant: tenant || own, narrowedTo, ...sessionProof(giver) };
  return rightsOf(run, principal, tenant);
}

/**
 * Throws permission_denied if the tenant requires a recent sign-in for changes of its owners and
 * the caller's is not known to be recent: the gateway knows it for the caller's own tenant only.
 */
export async function assertMayMakeOwners(run: Run, caller: Caller, tenant: string): Promise<void> {
  assertRecentLogin(caller);
  if (caller.tenant === tenant) return;
  const { demands } = await rightsIn(run, caller, tenant);
  if (demands.recentLogin)
    throw denied(
      'in a tenant that requires a recent sign-in, owners are added with Grants_Add',
      'RECENT_LOGIN_REQUIRED',
    );
}
