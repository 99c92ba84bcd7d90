// The permissions in one tenant, as simple as possible: everything is in memory, and every answer
// goes through all grants. Nothing here comes from the tested code.

export type SubjectType = 'user' | 'group' | 'bot';

export type Grant = {
  type: SubjectType;
  subject: string;
  role: string;
  resource: string;
  expired: boolean;
};

export type Model = {
  members: ReadonlySet<string>;
  /** Paths as first sent, by their normalized key. */
  groups: ReadonlyMap<string, string>;
  /** The members of groups, by the group's key. */
  within: ReadonlyMap<string, ReadonlySet<string>>;
  roles: ReadonlyMap<string, readonly string[]>;
  grants: ReadonlyMap<string, Grant>;
};

/** One way by which a subject holds a role. Groups are identified by their paths. */
export type Way = {
  grant: string;
  role: string;
  resource: string;
  expired: boolean;
  group: string;
  inheritedFrom: string;
  patterns: readonly string[];
};

export const builtIn: ReadonlyMap<string, readonly string[]> = new Map([
  ['owner', ['iam.*']],
  ['member', ['iam.tenant.read', 'iam.users.read', 'iam.groups.read', 'iam.roles.read']],
]);

export const emptyModel: Model = {
  members: new Set(),
  groups: new Map(),
  within: new Map(),
  roles: new Map(),
  grants: new Map(),
};

export const keyOfPath = (path: string): string => path.replace(/^\//, '').toLowerCase();

export const keyOfGrant = ({ type, subject, role, resource }: Omit<Grant, 'expired'>): string =>
  [type, type === 'group' ? keyOfPath(subject) : subject, role, resource].join(' | ');

/** A group and all its ancestors. */
function upwards(key: string): string[] {
  const segments = key.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

const isPlatformOnly = (permission: string): boolean =>
  /^iam\.(platform|internal)\./.test(permission);

/**
 * Whether a granted pattern covers everything that `wanted` covers. `*` covers everything but
 * platform permissions.
 */
export function covers(pattern: string, permission: string): boolean {
  if (isPlatformOnly(permission)) return false;
  if (!pattern.endsWith('*')) return pattern === permission;
  return (
    permission === pattern ||
    (permission.length >= pattern.length && permission.startsWith(pattern.slice(0, -1)))
  );
}

/** Every way by which a user or bot was granted a role, expired ways included. */
export function waysOf(model: Model, subject: string): Way[] {
  const patternsOf = (role: string) => builtIn.get(role) ?? model.roles.get(role) ?? [];
  const ways: Way[] = [];
  for (const [grant, { type, subject: to, role, resource, expired }] of model.grants) {
    const way = { grant, role, resource, expired, patterns: patternsOf(role) };
    if (type !== 'group' && to === subject) ways.push({ ...way, group: '', inheritedFrom: '' });
    if (type !== 'group') continue;
    for (const [group, people] of model.within) {
      if (!people.has(subject) || !upwards(group).includes(to)) continue;
      ways.push({
        ...way,
        group: model.groups.get(group) ?? '',
        inheritedFrom: to === group ? '' : (model.groups.get(to) ?? ''),
      });
    }
  }
  return ways;
}

/** The ways that count on a resource; '' = in the whole tenant. */
export const countingWays = (model: Model, subject: string, resource: string): Way[] =>
  waysOf(model, subject).filter(
    (way) => !way.expired && (way.resource === '' || way.resource === resource),
  );

export const holds = (
  model: Model,
  subject: string,
  permission: string,
  resource: string,
): boolean =>
  countingWays(model, subject, resource).some(({ patterns }) =>
    patterns.some((pattern) => covers(pattern, permission)),
  );

export const permissionsOf = (model: Model, subject: string, resource: string): string[] =>
  [...new Set(countingWays(model, subject, resource).flatMap(({ patterns }) => patterns))].sort();
