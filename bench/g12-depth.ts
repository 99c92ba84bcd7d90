import { createTenant } from '@bailiwick/test/support/people.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { closedLoop, openPool, operation } from './driver.ts';
import { createPeople, startMeasured } from './stack.ts';

const deep = 64;

/**
 * G12, a decision about a user in a group at depth 64 compared with depth 1. Access_Explain reads
 * everything each time, while Access_Check answers from memory. Paths have at most eight segments,
 * so the bench writes the deep group directly to the database.
 */
export const depth: Bench = async ({ seconds, rounds }) => {
  const stack = await startMeasured('one process');
  const [owner, one, other] = await createPeople(stack, 3);
  const Tenant = await createTenant(stack, owner?.token ?? '');
  const call = async (name: string, body: object) => {
    const { status, body: answer } = await stack.call(name, body, stack.platformKey);
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const idOf = async (email = '') =>
    ((await call('Users_GetByEmail', { Email: email }))['User'] as { ID: string }).ID;
  const subjects = { shallow: await idOf(one?.email), deep: await idOf(other?.email) };
  await call('Roles_Save', { Role: { Tenant, Slug: 'reader', Permissions: ['app.reports.read'] } });
  for (const [Group, UserID] of [
    ['flat', subjects.shallow],
    ['deep', subjects.deep],
  ]) {
    await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey);
    await call('Groups_Save', { Group: { Tenant, Path: Group } });
    await call('Groups_AddMember', { Tenant, Group, UserID });
    await call('GroupGrants_Add', { Grant: { Tenant, Group, Role: 'reader' } });
  }
  await rowsOf(
    stack,
    `update access.group_entry set key = 'deep' || repeat('/x', $2 - 1),
       ancestor_keys = array(select 'deep' || repeat('/x', n - 1) from generate_series(1, $2) n) where tenant = $1 and key = 'deep'`,
    [Tenant, deep],
  );
  const pool = openPool(stack.url);
  const turn = (Subject: string) => () => {
    const shot = operation(
      'Access_Explain',
      { Tenant, Subject, Permission: 'app.reports.read' },
      stack.platformKey,
    );
    return closedLoop({ pool, next: () => shot }, 1, seconds);
  };
  const results = await interleave(
    { deep: turn(subjects.deep), shallow: turn(subjects.shallow) },
    rounds,
  );
  const row = {
    id: 'G12',
    what: `Access_Explain through a group at depth ${deep}`,
    unit: 'ms',
    against: 'depth 1',
    target: { most: 1.15 },
  };
  const rows = [
    compare(
      row,
      results.deep.map(({ p50 }) => p50),
      results.shallow.map(({ p50 }) => p50),
    ),
  ].map((each) => withErrors(each, results.deep, results.shallow));
  await Promise.all([pool.close(), stack.stop()]);
  return rows;
};
