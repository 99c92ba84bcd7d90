import { accountScope, includes } from '@bailiwick/contract';

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

/** Whether an app may ask for a scope. Its patterns include permissions only. */
export const mayAskFor = (scopes: readonly string[], one: string): boolean =>
  identityScopes.includes(one) || one === accountScope
    ? scopes.includes(one)
    : includes(scopes, one);
