// Paths of groups. Pure functions.

/** The unique form of a path: no leading slash, lower case. */
export function pathKey(path: string): string {
  return path.replace(/^\//, '').toLowerCase();
}

/**
 * The keys of a group and its ancestors, from the top. Stored with the group, so that a check costs
 * the same at any depth.
 */
export function ancestorKeys(key: string): string[] {
  const segments = key.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
