import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@bailiwick/test/support/harness.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import {
  awaitReceived,
  type Deliveries,
  deliveryTask,
  type Endpoint,
  pathsOf,
  resetReceiver,
  startDeliveries,
  startReceiver,
} from './deliveries.ts';
import { cycle } from './driver.ts';
import type { Peer } from './peer.ts';

const healthyCount = 99;
/** Well below the maximum, so that the bench measures waiting times and not a growing queue. */
const steadyRate = 100;
/** Tasks of the hanging endpoint when a turn begins: more than the worker's concurrency. */
const ahead = 128;
/** A delivery that has not arrived by then counts with this time. */
const limitMs = 20_000;

type Turn = { perSecond: number; p99: number; errors: number };
type Load = { count: number; publish: (endpoints: readonly Endpoint[]) => Promise<void> };

/**
 * G15, the effect of a hanging endpoint on the others. One endpoint of 100 gets a hundredth of the
 * tasks and either hangs or answers. For the other 99: the maximum rate from a heap of tasks, and
 * at a steady rate the 99th percentile from publication to arrival.
 */
export const fairness: Bench = async ({ seconds, rounds }) => {
  const receiver = await startReceiver();
  const product = await startDeliveries(receiver, pathsOf(healthyCount));
  const ceiling = heapOf(product, Math.round(400 * seconds));
  const steady = streamOf(product, Math.round(2 * steadyRate * seconds));
  const turn = (load: Load, hangs: boolean) => () => besideOne({ product, receiver, load, hangs });
  const results = await interleave(
    {
      ceiling: turn(ceiling, false),
      steady: turn(steady, false),
      hungCeiling: turn(ceiling, true),
      hungSteady: turn(steady, true),
    },
    rounds,
  );
  await product.stop();
  await receiver.stop();
  const row = { id: 'G15', against: 'none hangs' };
  const share = compare(
    {
      ...row,
      what: 'deliveries to 99 endpoints beside one that hangs',
      unit: '1/s',
      target: { least: 0.95 },
    },
    results.hungCeiling.map(({ perSecond }) => perSecond),
    results.ceiling.map(({ perSecond }) => perSecond),
  );
  const waits = compare(
    {
      ...row,
      what: `p99 of ${steadyRate} deliveries/s, publication to arrival, meanwhile`,
      unit: 'ms',
      target: { most: 1.5 },
    },
    results.hungSteady.map(({ p99 }) => p99),
    results.steady.map(({ p99 }) => p99),
  );
  return [
    withErrors(share, results.hungCeiling, results.ceiling),
    withErrors(waits, results.hungSteady, results.steady),
  ];
};

/** All tasks at once, while the worker is stopped. */
const heapOf = ({ heap, tenant }: Deliveries, count: number): Load => ({
  count,
  publish: (endpoints) =>
    heap(count, (index) => deliveryTask(tenant, endpoints[index % endpoints.length] as Endpoint)),
});

/** Tasks at a fixed rate, whether or not the earlier ones have arrived. */
const streamOf = ({ publish, tenant }: Deliveries, count: number): Load => ({
  count,
  async publish(endpoints) {
    const next = cycle(endpoints);
    const published: Array<Promise<void>> = [];
    const began = performance.now();
    while (published.length < count) {
      const early = began + (published.length * 1000) / steadyRate - performance.now();
      if (early > 0) await sleep(early);
      published.push(publish(deliveryTask(tenant, next())));
    }
    await Promise.all(published);
  },
});

type Beside = { product: Deliveries; receiver: Peer<string>; load: Load; hangs: boolean };

/**
 * One turn, with a new hundredth endpoint, so that it does not profit from what the product learnt
 * in the turn before.
 */
async function besideOne({ product, receiver, load, hangs }: Beside): Promise<Turn> {
  const other = await product.createEndpoint(`/other-${crypto.randomUUID()}`);
  await resetReceiver(receiver, { path: other.path, hangs });
  await Promise.all(
    Array.from({ length: ahead }, () => product.publish(deliveryTask(product.tenant, other))),
  );
  await sleep(500);
  const toOthers = load.count - Math.floor(load.count / (healthyCount + 1));
  await load.publish([...product.endpoints, other]);
  const began = performance.now();
  product.goOn();
  const { count, p99 } = await awaitReceived(receiver, toOthers, limitMs);
  const seconds = (performance.now() - began) / 1000;

  // Answer the hanging requests, so that the remaining tasks of that endpoint complete.
  await resetReceiver(receiver);
  await product.deleteEndpoint(other);
  await eventually('an empty stream', product.isEmpty, 120_000);
  return { perSecond: count / seconds, p99, errors: hangs ? 0 : toOthers - count };
}
