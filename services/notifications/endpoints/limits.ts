import { type EgressRules, urlProblem } from '@bailiwick/egress';
import { limitReached } from '@bailiwick/errors';
import { lockName, type Transaction } from '@bailiwick/store';
import { rowOf } from '../rows.ts';

/**
 * The reasons to reject a receiver URL. An empty URL is valid: it is not set yet. `field` is the
 * name in the request: the messages do not repeat the URL, which may be a secret.
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

/**
 * Throws ENDPOINT_LIMIT if the tenant has no room for one more endpoint of a kind. The lock keeps
 * two creates at once from taking the same last place.
 */
export async function assertRoom(
  tx: Transaction,
  { tenant, kind, limit, count }: Room,
): Promise<void> {
  await lockName(tx, rowOf.endpoints(kind, tenant));
  if ((await count()) >= limit)
    throw limitReached(`a tenant has at most ${limit} ${kind} endpoints`, limit);
}
