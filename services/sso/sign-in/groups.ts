import { isObject } from '../oidc/json.ts';
import type { ProviderValues } from '../providers/api-record.ts';
import type { AssertedIdentity } from '../results.ts';

// The groups of a person, and whether the provider has stated them. An answer can lack the groups of
// a person who has some: these are then in another place, or could not be had.

/**
 * stated: the answer has the groups, or says that there are none. absent: a complete answer does not
 * mention them. unknown: they are not in the answer, for the reason in `detail`.
 */
export type GroupStatement =
  | { kind: 'stated' | 'absent' }
  /** Without a person's data. */
  | { kind: 'unknown'; detail: string };

const groupsLink = 'http://schemas.microsoft.com/claims/groups.link';

/** `value`: the claim or attribute of the groups; undefined if the answer has none. */
export function readGroupStatement(
  { claims, incomplete }: AssertedIdentity,
  value: unknown,
  names: readonly string[],
): GroupStatement {
  const overage = findOverage(claims, names);
  if (overage !== undefined) return { kind: 'unknown', detail: overage };
  if (value !== undefined) return { kind: isUsable(value) ? 'stated' : 'absent' };
  return incomplete === undefined ? { kind: 'absent' } : { kind: 'unknown', detail: incomplete };
}

/** Whether a value has groups, or says that there are none. */
function isUsable(value: unknown): boolean {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.every((one) => one === null) || values.some((one) => typeof one === 'string');
}

/** The markers of an answer that has too many groups to name them (OIDC Core, section 5.6.2). */
function findOverage(
  claims: AssertedIdentity['claims'],
  names: readonly string[],
): string | undefined {
  const own = (name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);
  const distributed = own('_claim_names');
  const isDistributed =
    isObject(distributed) && names.some((name) => Object.hasOwn(distributed, name));
  if (isDistributed) return 'the groups are at another address (_claim_names)';
  const isCut = own('hasgroups') === true || own('hasgroups') === 'true';
  if (isCut && names.includes('groups')) return 'the answer has too many groups (hasgroups)';
  return own(groupsLink) === undefined
    ? undefined
    : 'the groups are at another address (groups.link)';
}

/** Maps a person's groups to roles and groups of the tenant. */
export function mapGroups(
  groups: readonly string[],
  { groupMappings }: Pick<ProviderValues, 'groupMappings'>,
): { groups: string[]; roles: string[] } {
  const memberOf = new Set(groups);
  const matches = groupMappings.filter(({ value }) => memberOf.has(value));
  const namesOf = (field: 'group' | 'role') => [
    ...new Set(matches.map((mapping) => mapping[field]).filter((name) => name !== '')),
  ];
  return { groups: namesOf('group'), roles: namesOf('role') };
}
