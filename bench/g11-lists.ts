import type { Stack } from '@bailiwick/test/support/harness.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { closedLoop, openPool, operation, type Shot } from './driver.ts';
import { cursorAfter, filledId, fillUsers } from './generate.ts';
import { createPeople, startMeasured } from './stack.ts';

const few = 1000;
const many = 1_000_000;
const limit = 50;

/**
 * G11, a page of a list among a million users compared with a thousand, and the last page compared
 * with the first.
 */
export const lists: Bench = async ({ seconds, rounds }) => {
  const [small, large] = await Promise.all([startWith(few), startWith(many)]);
  const turn = (stack: Stack, shot: Shot) => {
    const pool = openPool(stack.url);
    return { run: () => closedLoop({ pool, next: () => shot }, 1, seconds), pool };
  };
  const turns = {
    listSmall: turn(small.stack, small.first('Users_List', {})),
    listLarge: turn(large.stack, large.first('Users_List', {})),
    listLast: turn(large.stack, large.last('Users_List', {}, ['Users_List'])),
    membersSmall: turn(small.stack, small.first('Users_ListByTenant', { Tenant: small.tenant })),
    membersLarge: turn(large.stack, large.first('Users_ListByTenant', { Tenant: large.tenant })),
    membersLast: turn(
      large.stack,
      large.last('Users_ListByTenant', { Tenant: large.tenant }, [
        'Users_ListByTenant',
        large.tenant,
      ]),
    ),
  };
  const results = await interleave(
    Object.fromEntries(Object.entries(turns).map(([name, { run }]) => [name, run])) as {
      [Name in keyof typeof turns]: () => ReturnType<typeof closedLoop>;
    },
    rounds,
  );
  const p50 = (name: keyof typeof turns) => results[name].map((result) => result.p50);
  const row = { id: 'G11', unit: 'ms' };
  const rows = (['list', 'members'] as const).flatMap((list) => {
    const what = list === 'list' ? 'Users_List' : 'Users_ListByTenant';
    return [
      compare(
        {
          ...row,
          what: `${what}, a page of ${limit}, 1 M users`,
          against: '1 k users',
          target: { most: 1.3 },
        },
        p50(`${list}Large`),
        p50(`${list}Small`),
      ),
      compare(
        {
          ...row,
          what: `${what}, the last page, 1 M users`,
          against: 'the first',
          target: { most: 1.1 },
        },
        p50(`${list}Last`),
        p50(`${list}Large`),
      ),
    ].map((each) =>
      withErrors(each, results[`${list}Large`], results[`${list}Small`], results[`${list}Last`]),
    );
  });
  await Promise.all([
    ...Object.values(turns).map(({ pool }) => pool.close()),
    small.stack.stop(),
    large.stack.stop(),
  ]);
  return rows;
};

async function startWith(users: number) {
  const stack = await startMeasured('one process');
  const [person] = await createPeople(stack, 1);
  const tenant = await createTenant(stack, person?.token ?? '');
  await fillUsers(stack, tenant, users);
  const page = (name: string, request: object, Cursor: string) =>
    operation(name, { ...request, Page: { Limit: limit, Cursor } }, stack.platformKey);
  return {
    stack,
    tenant,
    first: (name: string, request: object) => page(name, request, ''),
    // One page of filled rows follows it, as many as on the first page.
    last: (name: string, request: object, binding: readonly string[]) =>
      page(name, request, cursorAfter(stack, binding, filledId('usr', users - limit))),
  };
}
