import { type EgressRules, urlProblem } from '@bailiwick/shared/egress/rules.ts';
import { failedPrecondition, invalid } from '@bailiwick/shared/errors.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';

/** Asserts that a receiver may have this URL. `field` is where the request has it; the URL itself may be a secret and is not repeated. */
export function assertUrl(field: string, url: string, egress: EgressRules): void {
  const problem = urlProblem(url, egress);
  if (problem) throw invalid(`${field} ${problem}`, 'URL_REFUSED');
}

type Room = { tenant: string; kind: 'webhook' | 'chat'; limit: number; count: () => Promise<number> };

/** Asserts that a tenant has room for one more endpoint of a kind. Two creates at once do not both find the last place free. */
export async function assertRoom(em: EntityManager, { tenant, kind, limit, count }: Room): Promise<void> {
  await lockName(em, `${kind}_endpoint ${tenant}`);
  if ((await count()) >= limit) throw failedPrecondition(`a tenant has at most ${limit} ${kind} endpoints`, 'ENDPOINT_LIMIT');
}
