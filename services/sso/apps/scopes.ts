/**
 * The scopes that are about the person: those of OpenID Connect, and our own for groups. All others
 * are permissions.
 */
export const identityScopes: readonly string[] = [
  'openid',
  'profile',
  'email',
  'groups',
  'offline_access',
];
