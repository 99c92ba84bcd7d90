import { setTimeout as sleep } from 'node:timers/promises';
import type { Topology } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, residentMbOf } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, interleave, type Options, type Row, withErrors } from './bench.ts';
import { closedLoop, cycle, openPool, operation, type Shot } from './driver.ts';
import { checks } from './short.ts';
import { createPeople, pidsOf, signIns, startMeasured } from './stack.ts';

const topologies = ['five processes', 'two processes', 'one process'] as const;
/** Time until memory that the start and the preparation took is free again. */
const settleMs = 15_000;
const people = 40;
const clients = 32;

const kinds = ['Account_Get', 'Access_Check', 'Account_Login'] as const;
type Kind = (typeof kinds)[number];
type Started = Awaited<ReturnType<typeof startShape>>;

/**
 * G45, the shapes: the same calls to all three, which run beside each other, in turns. CPU and
 * memory are of their processes, without the database and the broker.
 */
export const shapesBeside: Bench = async (options) => {
  const started: Started[] = [];
  for (const topology of topologies) started.push(await startShape(topology));
  await sleep(settleMs);
  const idle = memoryRows(started, 'idle');
  const rows: Row[] = [];
  for (const kind of kinds) rows.push(...(await callsOf(started, kind, options)));
  const after = memoryRows(started, 'after these loads');
  await Promise.all(started.map(({ stop }) => stop()));
  return [...rows, ...idle, ...after];
};

async function startShape(topology: Topology) {
  const stack = await startMeasured(topology);
  const signedIn = await createPeople(stack, people);
  const next = cycle(signedIn);
  const pool = openPool(stack.url);
  const shots: Record<Kind, () => Shot> = {
    Account_Get: () => operation('Account_Get', {}, next().token),
    Access_Check: await checks(stack, signedIn),
    Account_Login: signIns(signedIn),
  };
  const pids = pidsOf(stack);
  return {
    topology,
    residentMb: () => residentMbOf(...pids),
    async turn(kind: Kind, seconds: number) {
      const before = cpuMicrosOf(...pids);
      const result = await closedLoop({ pool, next: shots[kind] }, clients, seconds);
      return { ...result, cpu: (cpuMicrosOf(...pids) - before) / result.calls };
    },
    async stop() {
      await pool.close();
      await stack.stop();
    },
  };
}

/** The CPU and the rate of one kind of call in each shape, compared with one process. */
async function callsOf(
  started: readonly Started[],
  kind: Kind,
  { seconds, rounds }: Options,
): Promise<Row[]> {
  const results = await interleave(
    Object.fromEntries(started.map(({ topology, turn }) => [topology, () => turn(kind, seconds)])),
    rounds,
  );
  const row = { id: 'G45', against: 'one process' };
  const one = results['one process'] ?? [];
  return Object.entries(results).flatMap(([topology, turns]) => {
    const of = (measure: 'cpu' | 'perSecond', what: string, unit: string) =>
      compare(
        { ...row, what: `${what}${kind}, ${topology}`, unit },
        turns.map((turn) => turn[measure]),
        one.map((turn) => turn[measure]),
      );
    const rows = [of('cpu', 'CPU of ', 'µs'), of('perSecond', '', '1/s')];
    return rows.map((one) => withErrors(one, turns));
  });
}

const memoryRows = (started: readonly Started[], when: string): Row[] =>
  started.map(({ topology, residentMb }) => ({
    id: 'G45',
    what: `memory ${when}, ${topology}`,
    unit: 'MB',
    ours: residentMb(),
  }));
