/**
 * Every permission of Bailiwick itself with a description, in a fixed order: a caller token carries
 * permissions as bits, and bit i is entry i of this table. Processes of two versions exchange caller
 * tokens during an upgrade, so entries are only appended, never moved or removed.
 */
const table = [
  ['iam.tenant.read', 'Read the tenant: its name, status and settings.'],
  ['iam.tenant.write', 'Change the tenant: its name, slug, settings and metadata.'],
  ['iam.tenant.delete', 'Delete the tenant.'],
  ['iam.users.read', 'Read the members of the tenant and their profiles.'],
  ['iam.users.write', 'Add members to the tenant and remove them.'],
  ['iam.invitations.read', 'Read the invitations to the tenant.'],
  ['iam.invitations.write', 'Invite people to the tenant and revoke invitations.'],
  ['iam.groups.read', 'Read groups and their members.'],
  ['iam.groups.write', 'Create, change and delete groups, and choose their members.'],
  ['iam.roles.read', 'Read roles, and the permissions that exist.'],
  ['iam.roles.write', 'Create, change and delete roles of the tenant.'],
  [
    'iam.grants.read',
    'Read grants, and check and explain the permissions of other users and bots.',
  ],
  ['iam.grants.write', 'Grant roles to users, groups and bots, and revoke grants.'],
  ['iam.bots.read', 'Read bots and the records of their keys.'],
  ['iam.bots.write', 'Create, change and delete bots.'],
  ['iam.botkeys.write', 'Create, rotate and expire keys of bots.'],
  ['iam.domains.read', 'Read the mail domains of the tenant.'],
  ['iam.domains.write', 'Claim, verify, change and delete mail domains.'],
  ['iam.audit.read', 'Read, verify and anchor the audit of the tenant.'],
  ['iam.audit.export', 'Export the audit of the tenant.'],
  ['iam.sso.read', 'Read the identity providers of the tenant.'],
  [
    'iam.sso.write',
    'Create, change, test and delete identity providers, which authenticate the users of verified domains.',
  ],
  ['iam.webhooks.read', 'Read webhook endpoints and their deliveries.'],
  [
    'iam.webhooks.write',
    'Create, change, test and delete webhook endpoints, and send messages again.',
  ],
  ['iam.chat.read', 'Read chat endpoints and their deliveries.'],
  ['iam.chat.write', 'Create, change, test and delete chat endpoints, and send messages again.'],
  ['iam.events.publish', 'Publish events of an application to the endpoints of the tenant.'],
  [
    'iam.tokens.introspect',
    'Introspect session tokens and bot keys: of the users and bots of the tenant or, on the platform, of all.',
  ],
  ['iam.platform.users.read', 'Read all users and their identities.'],
  ['iam.platform.users.write', 'Create, change, disable, enable and delete users.'],
  ['iam.platform.tenants.read', 'Read all tenants.'],
  ['iam.platform.tenants.write', 'Create, change, suspend, resume, delete and restore tenants.'],
  ['iam.platform.invitations.read', 'Read the invitations to any address.'],
  [
    'iam.platform.grants.read',
    'Read the grants on the platform, all grants of a user, and the permissions of the platform.',
  ],
  [
    'iam.platform.grants.write',
    'Grant roles on the platform, which apply in every tenant, and revoke them.',
  ],
  ['iam.platform.groups.read', 'Read the groups of a user in all tenants.'],
  [
    'iam.platform.audit.read',
    "Read, export, verify and anchor the platform's own audit, and read a user's actions in all tenants.",
  ],
  ['iam.platform.keys.write', 'Rotate data keys and the keys that wrap them.'],
  [
    'iam.internal.deliver',
    'Deliver messages and send mails. Only the delivery worker holds it: no role or grant gives it.',
  ],
  ['iam.platform.mail.read', 'Read mail suppressions: addresses that get no mail, and why.'],
  ['iam.platform.mail.write', 'Delete mail suppressions, so that an address gets mail again.'],
  ['iam.platform.keys.read', 'Read the state of data keys and of their rotation.'],
  ['iam.platform.sso.read', 'Read the identity providers of the platform.'],
  [
    'iam.platform.sso.write',
    'Create, change, test and delete identity providers of the platform, which authenticate users with any verified address.',
  ],
  ['iam.apps.read', 'Read the apps of the tenant, which sign its users in with Bailiwick.'],
  ['iam.apps.write', 'Create, change and delete apps of the tenant, and replace their secrets.'],
  ['iam.platform.apps.read', 'Read the apps of the platform.'],
  [
    'iam.platform.apps.write',
    'Create, change and delete apps of the platform, which sign users of all tenants in, and replace their secrets.',
  ],
  [
    'iam.platform.support.act',
    'Act as a user for a stated reason and time, without access to credentials and factors.',
  ],
  [
    'iam.platform.queues.read',
    'Read the state of the delivery queue, and the endpoints that fail.',
  ],
  [
    'iam.internal.portal.read',
    'Read the state and the log of the endpoint of a portal link. Only sessions of the portal hold it and the following four.',
  ],
  [
    'iam.internal.portal.bodies',
    'Read the bodies that were sent to the endpoint of a portal link.',
  ],
  ['iam.internal.portal.replay', 'Send messages to the endpoint of a portal link again.'],
  ['iam.internal.portal.test', 'Send a test to the endpoint of a portal link.'],
  ['iam.internal.portal.rotate', 'Replace the signing secret of the endpoint of a portal link.'],
  [
    'iam.scim.write',
    'Provision members and groups by SCIM: create, change, disable and remove the people of a directory, and fill its groups, with any roles that these have.',
  ],
  [
    'iam.rights.follow',
    "Follow the sign-ins and grants of the tenant in an application's memory: ask about every session, user and bot there.",
  ],
] as const;

export type Permission = (typeof table)[number][0];

export const permissions: readonly Permission[] = table.map(([permission]) => permission);

/** A one-line description of each permission. */
export const permissionDescriptions: ReadonlyMap<Permission, string> = new Map(table);

const indexOf = new Map<string, number>(
  permissions.map((permission, index) => [permission, index]),
);

/** Whether a caller token's permission bitmap contains a permission. */
export function hasPermission(bitmap: Uint8Array, permission: string): boolean {
  const index = indexOf.get(permission);
  return index !== undefined && ((bitmap[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

/** The bitmap of the permissions for which `holds` is true. */
export function permissionBitmap(holds: (permission: Permission) => boolean): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(permissions.length / 8));
  permissions.forEach((permission, index) => {
    if (holds(permission)) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return bitmap;
}

/** The bits of `bitmap` for the first `count` permissions, and those of `other` for the rest. */
export const joinBitmaps = (bitmap: Uint8Array, count: number, other: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: Math.max(bitmap.length, other.length) }, (_, index) => {
    const bits = Math.min(8, Math.max(0, count - index * 8));
    const mask = (1 << bits) - 1;
    return ((bitmap[index] ?? 0) & mask) | ((other[index] ?? 0) & ~mask);
  });
