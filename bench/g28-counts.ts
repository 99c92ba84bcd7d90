import { eventually } from '@bailiwick/test/support/harness.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { countOf } from '@bailiwick/test/support/store.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { closedLoop, openPool, operation } from './driver.ts';
import { fillAudit, fillDeliveryHours, fillUsers } from './generate.ts';
import { createPeople, startMeasured } from './stack.ts';

const small = { members: 1000, entries: 1000, endpoints: 1 };
const large = { members: 1_000_000, entries: 10_000_000, endpoints: 100 };

/**
 * G28, the figures of a tenant with a million members, ten million audit entries and a hundred busy
 * endpoints compared with those of a small one.
 */
export const counts: Bench = async ({ seconds, rounds }) => {
  const [few, many] = [await startWith(small), await startWith(large)];
  const turn =
    ({ pool, tenant, token }: typeof few, name: string) =>
    () => {
      const shot = operation(name, { Tenant: tenant }, token);
      return closedLoop({ pool, next: () => shot }, 1, seconds);
    };
  const results = await interleave(
    {
      few: turn(few, 'Tenants_GetCounts'),
      many: turn(many, 'Tenants_GetCounts'),
      fewStats: turn(few, 'Webhooks_GetStats'),
      manyStats: turn(many, 'Webhooks_GetStats'),
    },
    rounds,
  );
  const row = { id: 'G28', unit: 'ms', against: 'a small tenant' };
  const p50 = (series: typeof results.few) => series.map((result) => result.p50);
  const rows = [
    compare(
      { ...row, what: 'Tenants_GetCounts, 1 M members and 10 M audit entries' },
      p50(results.many),
      p50(results.few),
    ),
    compare(
      { ...row, what: 'Webhooks_GetStats, 100 endpoints that are busy every hour' },
      p50(results.manyStats),
      p50(results.fewStats),
    ),
  ].map((each) => withErrors(each, ...Object.values(results)));
  await Promise.all([few, many].flatMap(({ pool, stack }) => [pool.close(), stack.stop()]));
  return rows;
};

async function startWith({ members, entries, endpoints }: typeof small) {
  const stack = await startMeasured('one process');
  const [person] = await createPeople(stack, 1);
  const token = person?.token ?? '';
  const tenant = await createTenant(stack, token);
  await eventually(
    'the entries of its creation',
    async () => (await countOf(stack, 'access.audit_entry where tenant = $1', [tenant])) >= 3,
  );
  await fillUsers(stack, tenant, members);
  await fillAudit(stack, tenant, entries);
  await fillDeliveryHours(stack, tenant, endpoints);
  return { stack, pool: openPool(stack.url), tenant, token };
}
