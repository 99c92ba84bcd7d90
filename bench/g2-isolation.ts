import type { Topology } from '@bailiwick/test/support/harness.ts';
import { type Bench, compare, interleave, type Row, withErrors } from './bench.ts';
import { closedLoop, openLoop, openPool, underLoad } from './driver.ts';
import { createPeople, reads, signIns, startMeasured } from './stack.ts';

/** Well below the maximum, so that the bench measures waiting times and not a growing queue. */
const steadyRate = 200;

/**
 * G2, the effect of sign-ins on other calls: Users_GetByEmail alone and while sign-ins saturate the
 * same processes. The maximum rate, and the 99th percentile at a steady rate.
 */
export const isolation: Bench = async (options) => [
  ...(await isolationIn('five processes', options)),
  ...(await isolationIn('one process', options)),
];

async function isolationIn(
  topology: Topology,
  { seconds, rounds }: Parameters<Bench>[0],
): Promise<Row[]> {
  const stack = await startMeasured(topology);
  const people = await createPeople(stack, 40);
  const [reading, signingIn] = [
    { pool: openPool(stack.url), next: reads(people) },
    { pool: openPool(stack.url), next: signIns(people) },
  ];
  const ceiling = () => closedLoop(reading, 8, seconds);
  const steady = () => openLoop(reading, steadyRate, seconds);
  const results = await interleave(
    {
      ceiling,
      steady,
      loadedCeiling: () => underLoad(signingIn, 16, ceiling),
      loadedSteady: () => underLoad(signingIn, 16, steady),
    },
    rounds,
  );
  const share = compare(
    {
      id: 'G2',
      what: `reads while sign-ins saturate, ${topology}`,
      unit: '1/s',
      against: 'without',
      target: { least: 0.7 },
    },
    results.loadedCeiling.map(({ perSecond }) => perSecond),
    results.ceiling.map(({ perSecond }) => perSecond),
  );
  const waits = compare(
    {
      id: 'G2',
      what: `p99 of ${steadyRate} reads/s meanwhile, ${topology}`,
      unit: 'ms',
      against: 'without',
      target: { most: 4 },
    },
    results.loadedSteady.map(({ p99 }) => p99),
    results.steady.map(({ p99 }) => p99),
  );
  await Promise.all([reading.pool.close(), signingIn.pool.close(), stack.stop()]);
  return [
    withErrors(share, results.loadedCeiling, results.ceiling),
    withErrors(waits, results.loadedSteady, results.steady),
  ];
}
