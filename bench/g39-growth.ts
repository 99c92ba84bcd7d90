import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@bailiwick/test/support/database.ts';
import type { OwnStack, Stack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, endedCpuMicrosOf, pidsStartedAs } from '@bailiwick/test/support/numbers.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';
import { type Bench, compare, interleave, type Row, withErrors } from './bench.ts';
import { oneByOne, openPool } from './driver.ts';
import { type Growth, grow, perBlock, settleTables, sizesOf } from './generate-installation.ts';
import { comparisonsOf } from './growth-calls.ts';
import { type Comparison, enter, type Installation } from './growth-places.ts';
import { aligned, short } from './report.ts';
import { createPeople, pidsOf, startMeasured } from './stack.ts';

const few = 1000;
/** The slope is measured from a tenth of the installation to the whole. */
const firstPart = 0.1;
const most = 1.3;

/** As an operator of a million users sets a server of 16 GB. The work of autovacuum is no call's. */
const serverSettings = {
  shared_buffers: '4GB',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
  autovacuum: 'off',
};

type Turn = { cpu: number; databaseCpu: number; p50: number; errors: number };
type Measured = { large: Turn[]; small: Turn[] };

/**
 * G39, each list, figure, decision and change in a large installation compared with the same in a
 * small one, which take turns: `--users` users, a tenant for each hundred of them, and ten grants and
 * ten audit entries for each. At a tenth of this size, and at all of it.
 */
export const growth: Bench = async ({ users, rounds }) => {
  const [small, large] = await Promise.all([startGrowing(), startGrowing()]);
  await growTo(small, 0, few);
  const smallOne = await enter(small, few);
  const sizes = [users * firstPart, users].map((size) => Math.round(size / perBlock) * perBlock);
  const rows: Row[] = [];
  let before = 0;
  let turns = 0;
  for (const size of sizes) {
    await growTo(large, before, size);
    before = size;
    const comparisons = pairsOf(smallOne, await enter(large, size));
    for (const pair of comparisons)
      rows.push(...rowsFor(size, pair, await measure(pair, rounds, turns)));
    turns += rounds + 1;
  }
  await Promise.all([small.stop(), large.stop()]);
  return rows;
};

/** Five processes on a server of their own, with a user whose password all others get. */
async function startGrowing(): Promise<OwnStack> {
  const stack = await startMeasured('five processes', {}, { database: await createTuned() });
  await createPeople(stack, 1);
  return stack;
}

export async function createTuned(): Promise<TestDatabase> {
  const database = await createTestDatabase({ ownServer: true });
  for (const [name, setting] of Object.entries(serverSettings))
    await rowsOf({ databaseUrl: database.url }, `alter system set ${name} = '${setting}'`);
  await database.server?.stop();
  await database.server?.start();
  return database;
}

export async function growTo(
  stack: Pick<Stack, 'databaseUrl'>,
  from: number,
  to: number,
): Promise<void> {
  const growth: Growth = { from: from / perBlock, blocks: (to - from) / perBlock };
  const began = performance.now();
  const writeTimes = await grow(stack, growth);
  const seconds = (performance.now() - began) / 1000;
  await settleTables(stack, writeTimes);
  await rowsOf(stack, 'checkpoint');
  const vacuumed = (performance.now() - began) / 1000 - seconds;
  const table = (await sizesOf(stack)).map((size) => [
    size.table,
    ...[size.rows / 1000, size.table_mb, size.indexes_mb].map((number) => number.toFixed(0)),
    writeTimes.find(({ table: name }) => name === size.table)?.seconds.toFixed(0) ?? '',
  ]);
  process.stderr.write(
    [
      `\n${to} users after ${short(seconds)} s, ${short(vacuumed)} s for vacuum analyze and a checkpoint`,
      ...aligned([['table', 'thousand rows', 'MB', 'MB of indexes', 's'], ...table]),
      '',
    ].join('\n'),
  );
}

type Side = { installation: Installation; comparison: Comparison };
type Pair = { what: string; small: Side; large: Side };

export function pairsOf(small: Installation, large: Installation): Pair[] {
  const ofLarge = comparisonsOf(large);
  return comparisonsOf(small).flatMap((comparison, index) => {
    const other = ofLarge[index];
    return other
      ? [
          {
            what: comparison.what,
            small: { installation: small, comparison },
            large: { installation: large, comparison: other },
          },
        ]
      : [];
  });
}

export async function measure(
  { small, large }: Pair,
  rounds: number,
  turns: number,
): Promise<Measured> {
  const turnOf = (side: Side) => {
    const pool = openPool(side.installation.stack.url);
    let count = turns;
    return { pool, run: () => turn(side, pool, count++) };
  };
  const [ofSmall, ofLarge] = [turnOf(small), turnOf(large)];
  const results = await interleave({ large: ofLarge.run, small: ofSmall.run }, rounds);
  await Promise.all([ofSmall.pool.close(), ofLarge.pool.close()]);
  return results;
}

async function turn(
  { installation, comparison }: Side,
  pool: ReturnType<typeof openPool>,
  count: number,
): Promise<Turn> {
  const shots = await comparison.prepare(count);
  await untilIdle(installation.stack);
  const before = cpuOf(installation.stack);
  const { calls, p50, errors } = await oneByOne(pool, shots);
  await untilIdle(installation.stack);
  const after = cpuOf(installation.stack);
  const [cpu = 0, databaseCpu = 0] = after.map(
    (micros, at) => (micros - (before[at] ?? 0)) / calls,
  );
  return { cpu, databaseCpu, p50, errors };
}

function cpuOf(stack: OwnStack): number[] {
  const database = pidsStartedAs('postgres');
  return [cpuMicrosOf(...pidsOf(stack)), cpuMicrosOf(...database) + endedCpuMicrosOf(...database)];
}

const stepMs = 60;
const idleMicros = 6000;
const limitMs = 10_000;

/** Waits until everything that follows from the calls is done. */
async function untilIdle(stack: OwnStack): Promise<void> {
  const used = () => cpuOf(stack).reduce((total, micros) => total + micros, 0);
  let last = used();
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; ) {
    await sleep(stepMs);
    const now = used();
    if (now - last < idleMicros) return;
    last = now;
  }
}

export function rowsFor(size: number, { what }: Pair, { large, small }: Measured): Row[] {
  const row = { id: 'G39', against: `${few} users` };
  const cost = ({ cpu, databaseCpu }: Turn): number => cpu + databaseCpu;
  return [
    compare(
      { ...row, what: `CPU of ${what}, ${size} users`, unit: 'µs', target: { most } },
      large.map(cost),
      small.map(cost),
    ),
    compare(
      { ...row, what: `its database, ${size} users`, unit: 'µs' },
      large.map(({ databaseCpu }) => databaseCpu),
      small.map(({ databaseCpu }) => databaseCpu),
    ),
    compare(
      { ...row, what: `its median, ${size} users`, unit: 'ms' },
      large.map(({ p50 }) => p50),
      small.map(({ p50 }) => p50),
    ),
  ].map((each) => withErrors(each, large, small));
}
