import { type EgressRules, urlProblem } from '@bailiwick/shared/egress/rules.ts';
import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';

/**
 * Why a receiver may not have this URL; none is no receiver's yet. `field` is where the request has it: the URL itself may be a
 * secret and is not repeated.
 */
export function urlProblems(field: string, url: string, egress: EgressRules): string[] {
  const problem = url === '' ? undefined : urlProblem(url, egress);
  return problem ? [`${field} ${problem}`] : [];
}

type Room = {
  tenant: string;
  kind: 'webhook' | 'chat';
  limit: number;
  count: () => Promise<number>;
};

/** Asserts that a tenant has room for one more endpoint of a kind. Two creates at once do not both find the last place free. */
export async function assertRoom(
  em: EntityManager,
  { tenant, kind, limit, count }: Room,
): Promise<void> {
  await lockName(em, `${kind}_endpoint ${tenant}`);
  if ((await count()) >= limit)
    throw failedPrecondition(`a tenant has at most ${limit} ${kind} endpoints`, 'ENDPOINT_LIMIT');
}
