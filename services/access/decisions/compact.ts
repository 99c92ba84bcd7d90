import type { RightsKey } from '@bailiwick/broker';
import { isPlatformOnly } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import { narrow } from '../permissions/narrow.ts';
import { type DecisionDeps, tooManyGrants, type WholeQuestion } from './context.ts';
import { type Effective, findWhole } from './effective.ts';

// The grants of a subject in a tenant as a small value, from which a follower in an application
// decides by itself (docs/follow.md). Thousands of grants share the permissions of a few roles.

/** A subject with more grants is not described. */
const maxGrants = 1000;

/** `sets`: distinct lists of permissions. `grants`: the indexes of those that take effect, by resource. */
type CompactGrants = {
  sets: Array<{ permissions: string[] }>;
  grants: Array<{ resource: string; sets: number[] }>;
};

/** The grants, the keys that they depend on, and how long they stay so, in ms. */
type CompactAnswer = CompactGrants & { keys: RightsKey[]; unchangedMs: number };

/**
 * Finds the grants that take effect for a subject. `narrowedTo`: the permissions that its key is
 * narrowed to. @throws failed_precondition
 */
export async function findCompactGrants(
  deps: DecisionDeps,
  call: Call,
  question: WholeQuestion,
  narrowedTo: readonly string[],
): Promise<CompactAnswer> {
  const whole = await findWhole(deps, call, question, maxGrants);
  if (!whole) throw tooManyGrants(maxGrants);
  const { effective, ...ends } = whole;
  return { ...compactGrants(effective, narrowedTo), ...ends };
}

function compactGrants(effective: Effective, narrowedTo: readonly string[]): CompactGrants {
  const sets: CompactGrants['sets'] = [];
  const indexes = new Map<string, number>();
  function indexOf(granted: readonly string[]): number[] {
    // A permission on the platform never takes effect in a tenant.
    const permissions = narrow(
      granted.filter((pattern) => !isPlatformOnly(pattern)),
      narrowedTo,
    );
    if (permissions.length === 0) return [];
    const content = permissions.toSorted().join(' ');
    const known = indexes.get(content);
    if (known !== undefined) return [known];
    indexes.set(content, sets.length);
    return [sets.push({ permissions }) - 1];
  }
  const grants = [...effective].map(([resource, lists]) => ({
    resource,
    sets: [...new Set([...lists].flatMap(indexOf))],
  }));
  return { sets, grants: grants.filter((grant) => grant.sets.length > 0) };
}
