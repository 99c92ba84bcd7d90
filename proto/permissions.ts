/**
 * Every permission of Bailiwick itself, in a fixed order: a caller token carries permissions as
 * bits, and bit i is entry i here. Processes of two versions exchange such tokens during an
 * upgrade, so entries are only ever appended, never moved or removed.
 */
export const permissions = [
  'iam.tenant.read',
  'iam.tenant.write',
  'iam.tenant.delete',
  'iam.users.read',
  'iam.users.write',
  'iam.invitations.read',
  'iam.invitations.write',
  'iam.groups.read',
  'iam.groups.write',
  'iam.roles.read',
  'iam.roles.write',
  'iam.grants.read',
  'iam.grants.write',
  'iam.bots.read',
  'iam.bots.write',
  'iam.botkeys.write',
  'iam.domains.read',
  'iam.domains.write',
  'iam.audit.read',
  'iam.audit.export',
  'iam.sso.read',
  'iam.sso.write',
  'iam.webhooks.read',
  'iam.webhooks.write',
  'iam.chat.read',
  'iam.chat.write',
  'iam.events.publish',
  'iam.tokens.introspect',
  'iam.platform.users.read',
  'iam.platform.users.write',
  'iam.platform.tenants.read',
  'iam.platform.tenants.write',
  'iam.platform.invitations.read',
  'iam.platform.grants.read',
  'iam.platform.grants.write',
  'iam.platform.groups.read',
  'iam.platform.audit.read',
  'iam.platform.keys.write',
  'iam.internal.deliver',
  'iam.platform.mail.read',
  'iam.platform.mail.write',
  'iam.platform.keys.read',
] as const;

export type Permission = (typeof permissions)[number];

const indexOf = new Map<string, number>(
  permissions.map((permission, index) => [permission, index]),
);

/** Whether a permission set in the form of a caller token holds a permission. */
export function hasPermission(bitmap: Uint8Array, permission: string): boolean {
  const index = indexOf.get(permission);
  return index !== undefined && ((bitmap[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

/** The bits of those permissions for which `holds` is true. */
export function permissionBitmap(holds: (permission: Permission) => boolean): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(permissions.length / 8));
  permissions.forEach((permission, index) => {
    if (holds(permission)) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return bitmap;
}
