import { type ServiceName } from '@bailiwick/deploy/local/secrets.ts';
import { createBot, createKey } from '@bailiwick/test/support/bots.ts';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, median, sum } from '@bailiwick/test/support/numbers.ts';
import { tenantFor } from '@bailiwick/test/support/people.ts';
import { type Bench, compare, interleave, type Row, withErrors } from './bench.ts';
import { closedLoop, cycle, openPool, operation, type Shot, type Target } from './driver.ts';
import { startPeer } from './peer.ts';
import { createPeople, type Person, startMeasured } from './stack.ts';

const clients = 32;
const sessions = 100;
const measured = ['gateway', 'identity', 'access'] as const satisfies readonly ServiceName[];

/**
 * G19, what an application asks for each of its own requests, with 32 clients: one bot of a tenant
 * introspects the sessions of a hundred members in turn, and the members read their own accounts.
 */
export const introspection: Bench = async ({ seconds, rounds }) => {
  const stack = await startMeasured('five processes');
  const people = await createPeople(stack, sessions);
  const next = await introspections(stack, people);
  const pool = openPool(stack.url);
  const tokens = people.map(({ token }) => token);
  const floor = await startPeer<{ url: string }>('introspection.ts', JSON.stringify(tokens));
  const bare = { pool: openPool(floor.ready.url), next };
  const turn = (target: Target) => async () => {
    const before = measured.map((name) => cpuMicrosOf(stack.pid(name)));
    const { perSecond, calls, errors } = await closedLoop(target, clients, seconds);
    const after = measured.map((name) => cpuMicrosOf(stack.pid(name)));
    const cpu = after.map((micros, at) => (micros - (before[at] ?? Number.NaN)) / calls);
    return { perSecond, cpu, errors };
  };
  const accounts = cycle(tokens.map((token) => operation('Account_Get', {}, token)));
  const results = await interleave(
    {
      introspect: turn({ pool, next }),
      account: turn({ pool, next: accounts }),
      floor: () => closedLoop(bare, clients, seconds),
    },
    rounds,
  );
  await Promise.all([pool.close(), bare.pool.close()]);
  await Promise.all([stack.stop(), floor.stop()]);
  const { introspect, account } = results;
  const rates = compare(
    {
      id: 'G19',
      what: `Tokens_Introspect, ${clients} clients, ${sessions} sessions`,
      unit: '1/s',
      against: 'node:http and a map',
      target: { least: 0.6 },
    },
    introspect.map(({ perSecond }) => perSecond),
    results.floor.map(({ perSecond }) => perSecond),
  );
  return [
    withErrors(rates, introspect, results.floor),
    ...cpuRows(introspect),
    withErrors(
      {
        id: 'G19',
        what: `Account_Get, ${clients} clients, ${sessions} sessions`,
        unit: '1/s',
        ours: median(account.map(({ perSecond }) => perSecond)),
      },
      account,
    ),
    ...cpuRows(account),
  ];
};

type Turn = { cpu: number[]; errors: number };

/** The CPU of a call in all measured processes, and in each of them. */
const cpuRows = (turns: readonly Turn[]): Row[] =>
  [
    {
      what: 'its CPU, without the database and the broker',
      values: turns.map(({ cpu }) => sum(cpu)),
    },
    ...measured.map((name, at) => ({
      what: `of it in ${name}`,
      values: turns.map(({ cpu }) => cpu[at] ?? Number.NaN),
    })),
  ].map(({ what, values }) =>
    withErrors({ id: 'G19', what, unit: 'µs', ours: median(values) }, turns),
  );

/** Introspections by a bot of a new tenant, of the sessions of these people, its members. */
export async function introspections(
  stack: OwnStack,
  people: readonly Person[],
): Promise<() => Shot> {
  const ids: string[] = [];
  for (const { token } of people) {
    const { body } = await stack.call('Account_Get', {}, token);
    ids.push((body['User'] as { ID: string }).ID);
  }
  const Tenant = await tenantFor(stack, ids[0] ?? '');
  for (const UserID of ids.slice(1))
    await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey);
  const bot = await createBot(stack, Tenant, stack.platformKey);
  const Grant = { Tenant, Bot: bot.ID, Role: 'admin' };
  await stack.call('BotGrants_Add', { Grant }, stack.platformKey);
  const { Secret } = await createKey(stack, bot, stack.platformKey);
  const tokens = people.map(({ token }) => token);
  for (const Token of tokens) {
    const { body } = await stack.call('Tokens_Introspect', { Token, Tenant }, Secret);
    if (body['Active'] !== true) throw new Error(`inactive: ${JSON.stringify(body)}`);
  }
  const next = cycle(tokens);
  return () => operation('Tokens_Introspect', { Token: next(), Tenant }, Secret);
}
