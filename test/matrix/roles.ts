// The permissions of the built-in roles, written by hand: nothing here comes from the tested code.

export type Holds = (permission: string) => boolean;

const isPlatformOnly: Holds = (permission) =>
  permission.startsWith('iam.platform.') || permission.startsWith('iam.internal.');
const isTenants: Holds = (permission) =>
  permission.startsWith('iam.') && !isPlatformOnly(permission);

export const nothing: Holds = () => false;

export const only =
  (...permissions: string[]): Holds =>
  (permission) =>
    permissions.includes(permission);

/** Roles in a tenant. */
export const owner: Holds = isTenants;
export const admin: Holds = (permission) =>
  isTenants(permission) && permission !== 'iam.tenant.delete';
export const auditor: Holds = (permission) =>
  isTenants(permission) && (permission.endsWith('.read') || permission === 'iam.audit.export');
export const member: Holds = only(
  'iam.tenant.read',
  'iam.users.read',
  'iam.groups.read',
  'iam.roles.read',
);

/**
 * Roles on the platform, which count in every tenant except for permissions of the platform itself.
 */
export const platformOwner: Holds = (permission) =>
  permission.startsWith('iam.') && !permission.startsWith('iam.internal.');
export const platformSupport: Holds = (permission) =>
  platformOwner(permission) && permission.endsWith('.read');

export const worker: Holds = only('iam.internal.deliver');

/** A session of the receivers' portal with all abilities. */
export const portal: Holds = only(
  'iam.internal.portal.read',
  'iam.internal.portal.bodies',
  'iam.internal.portal.replay',
  'iam.internal.portal.test',
  'iam.internal.portal.rotate',
);
