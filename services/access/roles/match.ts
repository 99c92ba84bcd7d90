// Which permissions a granted pattern stands for. Pure.

/**
 * A wildcard never reaches these by being general: they are granted only by naming them, so that
 * neither `*` nor `iam.*` makes anybody an operator of the platform.
 */
const namedOnly = ['iam.platform.', 'iam.internal.'];

/** Whether a permission counts on the platform only, never in a tenant. */
export const isPlatformOnly = (permission: string): boolean =>
  namedOnly.some((prefix) => permission.startsWith(prefix));

/**
 * Whether what is granted includes `wanted`. `wanted` may itself end in `*`: then all that it stands
 * for must be included, which is what conferring it demands.
 */
export function includes(granted: readonly string[], wanted: string): boolean {
  return granted.some((pattern) => patternIncludes(pattern, wanted));
}

function patternIncludes(pattern: string, wanted: string): boolean {
  if (pattern === wanted) return true;
  if (!pattern.endsWith('*')) return false;
  const reach = pattern.slice(0, -1);
  const stem = wanted.endsWith('*') ? wanted.slice(0, -1) : wanted;
  return (
    stem.startsWith(reach) &&
    namedOnly.every((prefix) => !stem.startsWith(prefix) || reach.startsWith(prefix))
  );
}

/** Of patterns only what a key is narrowed to. */
export function narrow(patterns: readonly string[], narrowedTo: readonly string[]): string[] {
  if (narrowedTo.length === 0) return [...patterns];
  const within = patterns.filter((pattern) => includes(narrowedTo, pattern));
  return [...new Set([...within, ...narrowedTo.filter((pattern) => includes(patterns, pattern))])];
}
