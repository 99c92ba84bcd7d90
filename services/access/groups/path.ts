// The path of a group is its name and its place. Pure.

/** What makes a path unique: no leading slash, lower case. */
export function pathKey(path: string): string {
  return path.replace(/^\//, '').toLowerCase();
}

/**
 * The keys of a group and of all groups above it, from the top. They are stored with the group, so that
 * a check costs the same at any depth.
 */
export function ancestorKeys(key: string): string[] {
  const segments = key.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
