import type { Topology } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, compareCost, interleave, type Row, withErrors } from './bench.ts';
import { closedLoop, openLoop, openPool, type Result } from './driver.ts';
import { startPeer } from './peer.ts';
import { createPeople, pidsOf, signIns, startMeasured } from './stack.ts';

type Turn = Pick<Result, 'perSecond' | 'errors' | 'p99'> & { oneMs: number; cpu: number };

/**
 * G1, the cost of a sign-in beyond its hash: sign-ins a second compared with hashes alone, and at
 * 80 % of that rate the 99th percentile of the latency compared with the time of one hash.
 */
export const logins: Bench = async ({ seconds, rounds }) => {
  const topologies: Topology[] = ['five processes', 'one process'];
  const stacks = await Promise.all(topologies.map((topology) => startMeasured(topology)));
  const targets = await Promise.all(
    stacks.map(async (stack) => ({
      pool: openPool(stack.url),
      next: signIns(await createPeople(stack, 40)),
    })),
  );
  const hashes = await startPeer('argon2.ts');
  const turn = (index: number) => async (): Promise<Turn> => {
    const [target, stack] = [targets[index], stacks[index]];
    if (!target || !stack) throw new Error('nothing to measure');
    const before = cpuMicrosOf(...pidsOf(stack));
    const ceiling = await closedLoop(target, 16, seconds);
    const cpu = (cpuMicrosOf(...pidsOf(stack)) - before) / ceiling.calls / 1000;
    const steady = await openLoop(target, 0.8 * ceiling.perSecond, 1.5 * seconds);
    return {
      perSecond: ceiling.perSecond,
      p99: steady.p99,
      errors: ceiling.errors + steady.errors,
      oneMs: Number.NaN,
      cpu,
    };
  };
  const raw = async (): Promise<Turn> => {
    const before = cpuMicrosOf(hashes.pid);
    const result = await hashes.ask<{ perSecond: number; oneMs: number; calls: number }>({
      seconds,
    });
    return {
      ...result,
      p99: Number.NaN,
      errors: 0,
      cpu: (cpuMicrosOf(hashes.pid) - before) / result.calls / 1000,
    };
  };
  const { raw: floor, ...measured } = await interleave(
    { raw, 'five processes': turn(0), 'one process': turn(1) },
    rounds,
  );

  const rows = topologies.flatMap((topology): Row[] => {
    const results = measured[topology as keyof typeof measured];
    const throughput = compare(
      {
        id: 'G1',
        what: `sign-ins, ${topology}`,
        unit: '1/s',
        against: 'argon2id alone',
        target: { least: 0.9 },
      },
      results.map(({ perSecond }) => perSecond),
      floor.map(({ perSecond }) => perSecond),
    );
    const wait = compare(
      {
        id: 'G1',
        what: `p99 at 80 % load, ${topology}`,
        unit: 'ms',
        against: 'one hash',
        target: { most: 4 },
      },
      results.map(({ p99 }) => p99),
      floor.map(({ oneMs }) => oneMs),
    );
    const cpu = compareCost(
      { id: 'G1', what: `CPU of a sign-in, ${topology}`, unit: 'ms', against: 'of a hash' },
      results.map((result) => result.cpu),
      floor.map((result) => result.cpu),
    );
    return [throughput, wait, cpu].map((row) => withErrors(row, results));
  });
  await Promise.all([
    ...targets.map(({ pool }) => pool.close()),
    ...stacks.map((stack) => stack.stop()),
    hashes.stop(),
  ]);
  return rows;
};
