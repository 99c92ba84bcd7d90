import { assertRecentLogin, type Caller, type SessionProof, sessionProof } from '@bailiwick/call';
import { type EntityManager, inTransaction, type Run } from '@bailiwick/database';
import { denied, escalation } from '@bailiwick/errors';
import { ownerRole } from '../permissions/builtin.ts';
import { findRolePermissions } from './queries.ts';
import { holdsOnPlatform, mayGrant, permissionsOfRoles, type Rights, rightsOf } from './rights.ts';

// A caller can only delegate permissions that it has, on every path that grants rights.

/**
 * Throws permission_denied unless the caller itself may grant, in the whole tenant, every
 * permission of the roles. Reads the caller's current rights.
 */
export async function assertMayGrant(
  em: EntityManager,
  caller: Caller,
  tenant: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(ownerRole)) assertRecentLogin(caller);
  const lacking = await findLacking(inTransaction(em), caller, tenant, { roles });
  if (lacking !== undefined) throw escalation(lacking);
}

/** Throws permission_denied unless the caller may put these permissions into a role. */
export async function assertMayGrantPermissions(
  em: EntityManager,
  caller: Caller,
  tenant: string,
  wanted: readonly string[],
): Promise<void> {
  const lacking = await lackingTo(inTransaction(em), caller, tenant, wanted);
  if (lacking !== undefined) throw escalation(lacking);
}

/**
 * Throws permission_denied unless the caller has every permission of these roles: only an owner
 * changes an owner.
 */
export async function assertMayTouch(
  em: EntityManager,
  caller: Caller,
  tenant: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(ownerRole)) assertRecentLogin(caller);
  const lacking = await lackingTo(
    inTransaction(em),
    caller,
    tenant,
    permissionsOfRoles(roles, tenant === '' ? 'platform' : 'tenant'),
  );
  if (lacking !== undefined)
    throw denied(`the target holds ${lacking}, which the caller does not hold`, 'ESCALATION');
}

/** The principal whose rights are compared: a caller, or the sender of an earlier invitation. */
type Giver = Pick<Caller, 'type' | 'id' | 'tenant' | 'narrowedTo'> & SessionProof;
type Wanted = { roles: readonly string[]; permissions?: readonly string[] };

/**
 * A permission, of the roles' and of `permissions`, that the principal may not grant in a tenant;
 * undefined = it may grant all.
 */
export async function findLacking(
  run: Run,
  giver: Giver,
  tenant: string,
  { roles, permissions = [] }: Wanted,
): Promise<string | undefined> {
  return lackingTo(run, giver, tenant, [
    ...permissions,
    ...(await permissionsGivenBy(run, tenant, roles)),
  ]);
}

/** The permissions of roles in a tenant, or on the platform if `tenant` is "". */
async function permissionsGivenBy(
  run: Run,
  tenant: string,
  roles: readonly string[],
): Promise<string[]> {
  if (tenant === '') return permissionsOfRoles(roles, 'platform');
  return [
    ...permissionsOfRoles(roles, 'tenant'),
    ...(await findRolePermissions(run, tenant, roles)),
  ];
}

async function lackingTo(run: Run, giver: Giver, tenant: string, wanted: readonly string[]) {
  if (wanted.length === 0) return undefined;
  const rights = await rightsIn(run, giver, tenant);
  return wanted.find(
    (pattern) => !(tenant === '' ? holdsOnPlatform(rights, pattern) : mayGrant(rights, pattern)),
  );
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
      'owners of a tenant that requires a recent sign-in are made with Grants_Add',
      'RECENT_LOGIN_REQUIRED',
    );
}
