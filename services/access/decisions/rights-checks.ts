import {
  includes,
  isPlatformOnly,
  type Permission,
  permissionBitmap,
  permissions,
} from '@bailiwick/contract';
import type { Rights } from './values.ts';

const within = (granted: readonly string[], { narrowedTo }: Rights, permission: string) =>
  includes(granted, permission) && (narrowedTo.length === 0 || includes(narrowedTo, permission));

/** Whether rights include a permission, or all that a pattern matches, in their tenant. */
export const holdsInTenant = (rights: Rights, permission: string): boolean =>
  !isPlatformOnly(permission) && within(rights.inTenant, rights, permission);

/**
 * Whether the principal may grant a permission, or all that a pattern matches, to others in the
 * tenant.
 */
export const mayGrant = (rights: Rights, permission: string): boolean =>
  !isPlatformOnly(permission) && within(rights.grantable, rights, permission);

/** The right that a giver lacks who does not own the tenant, in the words of a refusal. */
export const ownership = 'ownership';

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

/**
 * The grant that gives each permission. The tenant's own grants come before the platform's; a grant
 * that adds nothing is left out.
 */
function grantsOf(rights: Rights) {
  const named = new Set<Permission>();
  const grants = rights.sources.map(({ grant, level, permissions: patterns }) => {
    const holds = (permission: Permission) =>
      holdsInTenant(rights, permission) ||
      (level === 'platform' && holdsOnPlatform(rights, permission));
    const gives = permissions.filter(
      (permission) => !named.has(permission) && includes(patterns, permission) && holds(permission),
    );
    for (const permission of gives) named.add(permission);
    return { id: grant, gives };
  });
  return grants
    .filter(({ gives }) => gives.length > 0)
    .map(({ id, gives }) => ({
      id,
      permissions: permissionBitmap((permission) => gives.includes(permission)),
    }));
}
