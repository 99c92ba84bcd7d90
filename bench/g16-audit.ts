import { eventually } from '@bailiwick/test/support/harness.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { countOf } from '@bailiwick/test/support/store.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { closedLoop, openPool, operation } from './driver.ts';
import { cursorAfter, fillAudit } from './generate.ts';
import { createPeople, startMeasured } from './stack.ts';

const few = 10_000;
const many = 10_000_000;

/**
 * G16, a page of the audit among ten million entries compared with ten thousand: the newest page,
 * and one from the middle.
 */
export const audit: Bench = async ({ seconds, rounds }) => {
  const [small, large] = await Promise.all([startWith(few), startWith(many)]);
  const turn =
    ({ stack, pool, tenant, token, count }: typeof small, inTheMiddle: boolean) =>
    () => {
      const Cursor = inTheMiddle
        ? cursorAfter(
            stack,
            [
              'Audit_List',
              tenant,
              '{"actions":null,"actorIds":null,"ip":null,"result":null,"targetIds":null}',
            ],
            String(count / 2),
          )
        : '';
      const shot = operation('Audit_List', { Tenant: tenant, Page: { Limit: 50, Cursor } }, token);
      return closedLoop({ pool, next: () => shot }, 1, seconds);
    };
  const results = await interleave(
    {
      small: turn(small, false),
      large: turn(large, false),
      smallMiddle: turn(small, true),
      largeMiddle: turn(large, true),
    },
    rounds,
  );
  const row = { id: 'G16', unit: 'ms', against: '10 k entries', target: { most: 1.3 } };
  const p50 = (series: typeof results.small) => series.map((result) => result.p50);
  const rows = [
    compare(
      { ...row, what: 'Audit_List, the newest of 10 M entries' },
      p50(results.large),
      p50(results.small),
    ),
    compare(
      { ...row, what: 'Audit_List, from the middle of 10 M entries' },
      p50(results.largeMiddle),
      p50(results.smallMiddle),
    ),
  ].map((each) => withErrors(each, ...Object.values(results)));
  await Promise.all([small, large].flatMap(({ pool, stack }) => [pool.close(), stack.stop()]));
  return rows;
};

async function startWith(count: number) {
  const stack = await startMeasured('one process');
  const [person] = await createPeople(stack, 1);
  const token = person?.token ?? '';
  const tenant = await createTenant(stack, token);
  await eventually(
    'the entries of its creation',
    async () => (await countOf(stack, 'access.audit_entry where tenant = $1', [tenant])) >= 3,
  );
  await fillAudit(stack, tenant, count);
  return { stack, pool: openPool(stack.url), tenant, token, count };
}
