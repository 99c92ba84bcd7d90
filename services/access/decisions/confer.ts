import { hasPermission, permissions } from '@bailiwick/proto/permissions.ts';
import type { Caller } from '@bailiwick/shared/caller.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { includes } from '../roles/match.ts';
import { holdsInTenant, permissionsOfRoles, type Rights, rightsOf } from './rights.ts';

// Nobody confers a permission they lack, on any path that confers rights (contract.md §3).

/** Throws permission_denied unless the caller itself holds, in the whole tenant, all that the roles give. Reads the caller's rights anew. */
export async function assertMayConfer(em: EntityManager, caller: Caller, tenant: string, roles: readonly string[]): Promise<void> {
  const lacking = await lackingTo(em, caller, tenant, roles);
  if (lacking !== undefined) throw denied(`this would confer ${lacking}, which the caller does not hold`, 'ESCALATION');
}

/** Throws permission_denied unless the caller holds what somebody with these roles holds: only an owner changes an owner. */
export async function assertMayTouch(em: EntityManager, caller: Caller, tenant: string, roles: readonly string[]): Promise<void> {
  const lacking = await lackingTo(em, caller, tenant, roles);
  if (lacking !== undefined) throw denied(`this concerns somebody who holds ${lacking}, which the caller does not hold`, 'ESCALATION');
}

async function lackingTo(em: EntityManager, caller: Caller, tenant: string, roles: readonly string[]): Promise<string | undefined> {
  const wanted = permissionsOfRoles(roles, 'tenant');
  if (wanted.length === 0) return undefined;
  // A bot has grants in its own tenant only, so that the tenant in question can stand for it.
  const rights = await rightsOf(inTransaction(em), { type: caller.type, id: caller.id, botTenant: tenant }, tenant);
  return wanted.find((pattern) => !holdsInTenant(rights, pattern) || (caller.type === 'bot' && !keyAllows(caller, rights, pattern)));
}

/**
 * What a bot's key is narrowed to does not travel with a call, only what is left of Bailiwick's own permissions.
 * A key that has visibly lost one of them confers nothing of an application's.
 */
function keyAllows(caller: Caller, rights: Rights, pattern: string): boolean {
  if (caller.tenant !== rights.tenant) return false;
  const own = permissions.filter((permission) => includes([pattern], permission) && holdsInTenant(rights, permission));
  if (!own.every((permission) => hasPermission(caller.permissions, permission))) return false;
  const narrowed = permissions.some((permission) => holdsInTenant(rights, permission) && !hasPermission(caller.permissions, permission));
  return own.length > 0 || !narrowed;
}
