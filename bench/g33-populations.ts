import { createBot, createKey } from '@bailiwick/test/support/bots.ts';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, median, pidsStartedAs } from '@bailiwick/test/support/numbers.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';
import { type Bench, compare, type Options, type Row, withErrors } from './bench.ts';
import { openPool, operation, pacedPass, type Shot } from './driver.ts';
import { openSessions, type Session } from './sessions.ts';
import { createPeople, pidsOf, startMeasured } from './stack.ts';

/** Each of `callers` calls once every `intervalSeconds`. */
type Population = { callers: number; intervalSeconds: number; rounds?: number };

const few = 100;
const populations: readonly Population[] = [
  { callers: 5000, intervalSeconds: 20 },
  { callers: 50_000, intervalSeconds: 60, rounds: 1 },
];
/** A call costs this many times as much as with a few callers, at most. */
const most = { first: 2.5, second: 1.3 };
const permission = 'app.reports.read';

type Turn = { cpu: number; databaseCpu: number; perSecond: number; errors: number };
type Passes = Record<'few' | 'first' | 'second', Turn[]>;
type Operations = Record<string, (session: Session) => Shot>;

/**
 * G33, many callers. Each calls at its own interval, as people do whose application asks with each
 * page: a first pass with cold caches, and a second one. The same calls by a hundred callers at the
 * same rate are the reference. Costs are CPU, with the database's.
 */
export const manyCallers: Bench = async (options) => {
  const chosen = populations.filter(
    ({ callers }) => options.callers === undefined || callers === options.callers,
  );
  if (chosen.length === 0) throw new Error(`no row has ${options.callers} callers`);
  const rows: Row[] = [];
  for (const population of chosen) rows.push(...(await measure(population, options)));
  return rows;
};

async function measure(population: Population, options: Options): Promise<Row[]> {
  const { callers, intervalSeconds, rounds = options.rounds } = population;
  const stack = await startMeasured('five processes');
  const pool = openPool(stack.url);
  const [owner] = await createPeople(stack, 1);
  const tenant = await createTenant(stack, owner?.token ?? '');
  const sessions = await openSessions(stack, tenant, callers * rounds + few);
  const operations = await operationsOf(stack, tenant);
  const seconds = intervalSeconds;
  const rate = callers / intervalSeconds;
  const reference = sessions.splice(0, few);
  const results: Record<string, Passes> = {};
  for (let round = 0; round < rounds; round++) {
    // Each round has callers of its own, of whom no cache knows anything.
    const group = sessions.splice(0, callers);
    for (const [name, shotOf] of Object.entries(operations)) {
      const pass = (people: readonly Session[]) =>
        turn(stack, () => pacedPass({ pool, shots: shotsOf(people, shotOf, callers), rate }));
      const passes = (results[name] ??= { few: [], first: [], second: [] });
      passes.first.push(await pass(group));
      passes.second.push(await pass(group));
      await pacedPass({ pool, shots: reference.map(shotOf), rate });
      passes.few.push(await pass(reference));
    }
  }
  await pool.close();
  await stack.stop();
  return Object.entries(results).flatMap(([name, passes]) =>
    rowsFor(`${name}, ${callers} callers, each every ${seconds} s`, passes),
  );
}

/** The next `count` calls, of these people in turn. */
const shotsOf = (
  people: readonly Session[],
  shotOf: (session: Session) => Shot,
  count: number,
): Shot[] =>
  Array.from({ length: count }, (_, index) => shotOf(people[index % people.length] as Session));

async function turn(
  stack: OwnStack,
  run: () => Promise<{ calls: number; perSecond: number; errors: number }>,
): Promise<Turn> {
  const database = pidsStartedAs('postgres');
  const before = [cpuMicrosOf(...pidsOf(stack)), cpuMicrosOf(...database)];
  const { calls, perSecond, errors } = await run();
  const after = [cpuMicrosOf(...pidsOf(stack)), cpuMicrosOf(...database)];
  const [cpu = 0, databaseCpu = 0] = after.map(
    (micros, at) => (micros - (before[at] ?? 0)) / calls,
  );
  return { cpu, databaseCpu, perSecond, errors };
}

const passNames = { first: 'first pass', second: 'second pass' } as const;

function rowsFor(what: string, passes: Passes): Row[] {
  const cost = ({ cpu, databaseCpu }: Turn): number => cpu + databaseCpu;
  return (['second', 'first'] as const).flatMap((name): Row[] => {
    const turns = passes[name];
    const row = { id: 'G33', what: `${what}, ${passNames[name]}` };
    const judged = {
      ...row,
      what: `CPU of ${row.what}`,
      unit: 'µs',
      against: `${few} callers at this rate`,
      target: { most: most[name] },
    };
    const reached = { ...row, unit: '1/s', ours: median(turns.map(({ perSecond }) => perSecond)) };
    return [compare(judged, turns.map(cost), passes.few.map(cost)), reached].map((each) =>
      withErrors(each, turns, passes.few),
    );
  });
}

/** The questions of applications about their users, by the users or by a bot of the tenant. */
async function operationsOf(stack: OwnStack, tenant: string): Promise<Operations> {
  const call = async (name: string, body: object) => {
    const { status, body: answer } = await stack.call(name, body, stack.platformKey);
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  };
  await call('Roles_Save', { Role: { Tenant: tenant, Slug: 'reader', Permissions: [permission] } });
  await rowsOf(
    stack,
    `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
     select tenant, 'grt' || substr(user_id, 4), 'user', user_id, 'reader', '', 'nobody', now()
     from access.tenant_member where tenant = $1 and source = 'admin'`,
    [tenant],
  );
  await rowsOf(stack, 'vacuum analyze access.grant_entry');
  const bot = await createBot(stack, tenant, stack.platformKey);
  await call('BotGrants_Add', { Grant: { Tenant: tenant, Bot: bot.ID, Role: 'admin' } });
  const { Secret } = await createKey(stack, bot, stack.platformKey);
  return {
    Account_Get: ({ token }) => operation('Account_Get', {}, token),
    Tokens_Introspect: ({ token }) =>
      operation('Tokens_Introspect', { Token: token, Tenant: tenant }, Secret),
    Access_Check: ({ userId }) =>
      operation(
        'Access_Check',
        { Tenant: tenant, Subject: userId, Permission: permission },
        Secret,
      ),
  };
}
