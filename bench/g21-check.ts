import { createBot, createKey } from '@bailiwick/test/support/bots.ts';
import type { OwnStack, Topology } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, median } from '@bailiwick/test/support/numbers.ts';
import { tenantFor } from '@bailiwick/test/support/people.ts';
import { type Bench, interleave, type Options, type Row, withErrors } from './bench.ts';
import { closedLoop, cycle, openPool, operation, type Shot } from './driver.ts';
import { createPeople, pidsOf, startMeasured } from './stack.ts';

export const clients = 32;
export const members = 100;
const nested = 'one/two/three/four/five';

const questions = {
  'a direct grant': 'app.direct.read',
  'no grant': 'app.denied.read',
  'five nested groups': 'app.nested.read',
} as const;

/**
 * G21, a decision for an application: a tenant's bot checks permissions of a hundred members in
 * turn, with 32 clients. Each member has a role by a grant of its own, and another one through the
 * topmost of five nested groups.
 */
export const decision: Bench = async (options) => [
  ...(await decisionsIn('five processes', options)),
  ...(await decisionsIn('one process', options)),
];

async function decisionsIn(topology: Topology, { seconds, rounds }: Options): Promise<Row[]> {
  const stack = await startMeasured(topology);
  const pool = openPool(stack.url);
  const ask = await checks(stack);
  const turn = (permission: string) => async () => {
    const before = cpuMicrosOf(...pidsOf(stack));
    const result = await closedLoop({ pool, next: ask(permission) }, clients, seconds);
    return { ...result, cpu: (cpuMicrosOf(...pidsOf(stack)) - before) / result.calls };
  };
  const results = await interleave(
    Object.fromEntries(Object.entries(questions).map(([way, question]) => [way, turn(question)])),
    rounds,
  );
  await pool.close();
  await stack.stop();
  return Object.entries(results).flatMap(([way, turns]) => {
    const what = `Access_Check through ${way}, ${topology}`;
    const rows: Row[] = [
      { id: 'G21', what, unit: '1/s', ours: median(turns.map(({ perSecond }) => perSecond)) },
      {
        id: 'G21',
        what: 'its CPU, without the database and the broker',
        unit: 'µs',
        ours: median(turns.map(({ cpu }) => cpu)),
      },
    ];
    return rows.map((row) => withErrors(row, turns));
  });
}

/** Checks of a permission by a tenant's bot, about each of its members in turn. */
export async function checks(stack: OwnStack): Promise<(permission: string) => () => Shot> {
  const call = async (name: string, body: object, token = stack.platformKey) => {
    const answer = await stack.call(name, body, token);
    if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const ids: string[] = [];
  for (const { token } of await createPeople(stack, members))
    ids.push(((await call('Account_Get', {}, token))['User'] as { ID: string }).ID);
  const Tenant = await tenantFor(stack, ids[0] ?? '');
  for (const kind of ['direct', 'nested'])
    await call('Roles_Save', {
      Role: { Tenant, Slug: kind, Name: kind, Permissions: [`app.${kind}.read`] },
    });
  for (let depth = 1; depth <= 5; depth++)
    await call('Groups_Save', {
      Group: { Tenant, Path: nested.split('/').slice(0, depth).join('/') },
    });
  await call('GroupGrants_Add', { Grant: { Tenant, Group: 'one', Role: 'nested' } });
  for (const UserID of ids) {
    await call('TenantMembers_Add', { Tenant, UserID });
    await call('Grants_Add', { Grant: { Tenant, UserID, Role: 'direct' } });
    await call('Groups_AddMember', { Tenant, Group: nested, UserID });
  }
  const bot = await createBot(stack, Tenant, stack.platformKey);
  await call('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'admin' } });
  const { Secret } = await createKey(stack, bot, stack.platformKey);
  for (const Permission of Object.values(questions)) {
    const isAllowed = Permission !== questions['no grant'];
    for (const Subject of ids) {
      const { Allowed } = await call('Access_Check', { Tenant, Subject, Permission }, Secret);
      if (Allowed !== isAllowed) throw new Error(`${Permission} of ${Subject}: ${!isAllowed}`);
    }
  }
  return (Permission) => {
    const next = cycle(ids);
    return () => operation('Access_Check', { Tenant, Subject: next(), Permission }, Secret);
  };
}
