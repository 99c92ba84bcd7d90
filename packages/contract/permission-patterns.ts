// Matching of permissions with patterns such as app.reports.*, in roles, keys and the scopes of apps.

/**
 * A wildcard only matches these if it names their prefix. Neither `*` nor `iam.*` makes a user an
 * operator of the platform.
 */
const namedOnly = ['iam.platform.', 'iam.internal.'];

/** The scope that opens the operations on a person's own account. No pattern includes it. */
export const accountScope = 'account';

/** Whether a permission is effective on the platform only, never in a tenant. */
export const isPlatformOnly = (permission: string): boolean =>
  namedOnly.some((prefix) => permission.startsWith(prefix));

/**
 * Whether the granted patterns include `permission`. If `permission` ends in `*`, every permission that it
 * matches must be included: that is the rule for granting it.
 */
export function includes(granted: readonly string[], permission: string): boolean {
  return granted.some((pattern) => patternIncludes(pattern, permission));
}

function patternIncludes(pattern: string, permission: string): boolean {
  if (pattern === permission) return true;
  if (!pattern.endsWith('*')) return false;
  const reach = pattern.slice(0, -1);
  const stem = permission.endsWith('*') ? permission.slice(0, -1) : permission;
  return (
    stem.startsWith(reach) &&
    namedOnly.every((prefix) => !stem.startsWith(prefix) || reach.startsWith(prefix))
  );
}

/** The permissions that two lists of patterns have in common, as patterns. */
export function common(patterns: readonly string[], others: readonly string[]): string[] {
  const within = patterns.filter((pattern) => includes(others, pattern));
  return [...new Set([...within, ...others.filter((pattern) => includes(patterns, pattern))])];
}
