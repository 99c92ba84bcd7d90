// Patterns of permissions such as app.reports.*, prepared for many questions. The rule is that of
// the contract's permission-patterns.ts, which is not published; test/model compares the two.

/** A wildcard only matches these if it names their prefix. */
const namedOnly = ['iam.platform.', 'iam.internal.'];

/** Whether patterns include a permission. One that ends in `*` stands for all that it matches. */
export type Matcher = (permission: string) => boolean;

const maxShared = 2000;

export type Matchers = (patterns: readonly string[]) => Matcher;

/** Creates matchers. Equal lists share one, since most subjects hold the same few roles. */
export function createMatchers(): Matchers {
  const matchers = new Map<string, Matcher>();
  return (patterns) => {
    const key = patterns.join('\n');
    const shared = matchers.get(key);
    if (shared) return shared;
    const matcher = matcherOf(patterns);
    // Matchers in use stay; only the sharing begins again.
    if (matchers.size >= maxShared) matchers.clear();
    matchers.set(key, matcher);
    return matcher;
  };
}

export function matcherOf(patterns: readonly string[]): Matcher {
  const exact = new Set(patterns);
  const reaches = [...exact]
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  return (permission) => {
    if (exact.has(permission)) return true;
    if (reaches.length === 0) return false;
    const stem = permission.endsWith('*') ? permission.slice(0, -1) : permission;
    for (const reach of reaches) if (stem.startsWith(reach) && isNamed(reach, stem)) return true;
    return false;
  };
}

function isNamed(reach: string, stem: string): boolean {
  for (const prefix of namedOnly)
    if (stem.startsWith(prefix) && !reach.startsWith(prefix)) return false;
  return true;
}
