import { median } from '@bailiwick/test/support/numbers.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { type Bench, interleave, type Row, withErrors } from './bench.ts';
import { closedLoop, openPool, operation } from './driver.ts';
import { fillUsers } from './generate.ts';
import { createPeople, startMeasured } from './stack.ts';

const million = 1_000_000;
const hundredThousand = 100_000;
const limit = 50;
/** A view that searches while somebody types answers within 100 ms: the call has half of it. */
const mostMs = 50;

/** Searches, by their results. */
const searches: Readonly<Record<string, object>> = {
  'all by the address': { Query: 'p' },
  'a hundred, sorted': { Query: 'p99', Sort: 'email' },
  one: { Query: 'p99999@' },
  nothing: { Query: 'nothing' },
  'the last by the address': { Sort: 'email', Descending: true },
  'none by the state': { Status: 'disabled', Sort: 'email' },
};

/** G27, a page of searched lists among a million users, and in a tenant with 100,000 members. */
export const listSearches: Bench = async ({ seconds, rounds }) => {
  const stack = await startMeasured('one process');
  const [person] = await createPeople(stack, 1);
  const tenant = await createTenant(stack, person?.token ?? '');
  // The users beyond the first are members of no tenant.
  await fillUsers(stack, tenant, million, hundredThousand);
  const pool = openPool(stack.url);
  const lists: Readonly<Record<string, object>> = {
    'Users_List, 1 M users': {},
    'TenantMembers_List, 100 k members': { Tenant: tenant },
    'Users_ListByTenant, 100 k members': { Tenant: tenant },
  };
  const turns = Object.fromEntries(
    Object.entries(lists).flatMap(([list, scope]) =>
      Object.entries(searches).map(([what, search]) => {
        const [name = ''] = list.split(',');
        const request = { ...scope, ...search, Page: { Limit: limit } };
        const shot = operation(name, request, stack.platformKey);
        const run = () => closedLoop({ pool, next: () => shot }, 1, seconds);
        return [`${list}: ${what}`, run] as const;
      }),
    ),
  );
  const results = await interleave(turns, rounds);
  await pool.close();
  await stack.stop();
  return Object.entries(results).map(([what, series]): Row => {
    const row = { id: 'G27', what, unit: 'ms', target: { most: mostMs } };
    return withErrors({ ...row, ours: median(series.map(({ p50 }) => p50)) }, series);
  });
};
