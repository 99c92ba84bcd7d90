import { includes, isPlatformOnly, permissions } from '@bailiwick/contract';

// The built-in roles of every tenant. They are code and not rows: users cannot edit them, and a new
// version's permissions reach all tenants at once.

export type BuiltInRole = {
  slug: string;
  name: string;
  description: string;
  permissions: readonly string[];
};

export const ownerRole = 'owner';
export const memberRole = 'member';
export const platformOwnerRole = 'platform-owner';

const tenantReads = permissions.filter(
  (permission) => permission.endsWith('.read') && !isPlatformOnly(permission),
);
const platformReads = permissions.filter(
  (permission) => permission.endsWith('.read') && permission.startsWith('iam.platform.'),
);

// Listed one by one: no wildcard means "all areas except deleting the tenant", and a new permission
// stays with owners until it is added here.
const adminPermissions = [
  'iam.tenant.read',
  'iam.tenant.write',
  'iam.users.*',
  'iam.invitations.*',
  'iam.groups.*',
  'iam.roles.*',
  'iam.grants.*',
  'iam.bots.*',
  'iam.botkeys.*',
  'iam.domains.*',
  'iam.audit.*',
  'iam.sso.*',
  'iam.webhooks.*',
  'iam.chat.*',
  'iam.events.*',
  'iam.tokens.*',
  'iam.apps.*',
  'iam.scim.*',
  'iam.rights.*',
];

const memberPermissions = [
  'iam.tenant.read',
  'iam.users.read',
  'iam.groups.read',
  'iam.roles.read',
];

/** The roles that can be granted in a tenant. */
export const tenantRoles: readonly BuiltInRole[] = [
  {
    slug: ownerRole,
    name: 'Owner',
    description: 'Everything in the tenant.',
    permissions: ['iam.*'],
  },
  {
    slug: 'admin',
    name: 'Admin',
    description: 'Everything but deleting the tenant and changing its owners.',
    permissions: adminPermissions,
  },
  {
    slug: memberRole,
    name: 'Member',
    description: 'Sees the tenant, its people, groups and roles.',
    permissions: memberPermissions,
  },
  {
    slug: 'scim-directory',
    name: 'SCIM directory',
    description: 'Provisions people and groups by SCIM. For the bot of a directory.',
    // With what a member gets: a bot invites with rights that it has itself.
    permissions: ['iam.scim.write', 'iam.invitations.write', ...memberPermissions],
  },
  {
    slug: 'auditor',
    name: 'Auditor',
    description: 'Reads everything and exports the audit.',
    permissions: [...tenantReads, 'iam.audit.export'],
  },
  {
    slug: 'follower',
    name: 'Follower',
    description: 'Follows sign-ins and grants. For the bot of an application.',
    permissions: ['iam.rights.follow'],
  },
];

/** The roles that are effective on the platform only. */
export const platformRoles: readonly BuiltInRole[] = [
  {
    slug: platformOwnerRole,
    name: 'Platform owner',
    description: 'Everything in every tenant and on the platform.',
    permissions: ['iam.*', 'iam.platform.*'],
  },
  {
    slug: 'platform-support',
    name: 'Platform support',
    description: 'Reads everything.',
    permissions: [...tenantReads, ...platformReads],
  },
];

const inTenant = new Map(tenantRoles.map((role) => [role.slug, role.permissions]));
const onPlatform = new Map(
  [...tenantRoles, ...platformRoles].map((role) => [role.slug, role.permissions]),
);

/** The level of a grant. A platform role granted in a tenant gives no permissions. */
export type Level = 'tenant' | 'platform';

/** The permissions of a built-in role; empty if that level has no such role. */
export function permissionsOf(slug: string, level: Level): readonly string[] {
  return (level === 'tenant' ? inTenant : onPlatform).get(slug) ?? [];
}

export const hasPermission = ({ permissions: patterns }: BuiltInRole, permission: string) =>
  includes(patterns, permission);

/** Whether a role can be granted in a tenant. */
export const isTenantRole = (slug: string): boolean => inTenant.has(slug);

/** Whether a slug is a built-in role's, in tenants or on the platform. */
export const isBuiltIn = (slug: string): boolean => onPlatform.has(slug);
