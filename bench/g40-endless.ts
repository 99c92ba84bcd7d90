import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, median, pidsStartedAs } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, interleave, type Row, withErrors } from './bench.ts';
import {
  awaitReceived,
  createEndpoint,
  type Deliveries,
  deliveryTask,
  type Endpoint,
  resetReceiver,
  startDeliveries,
  startReceiver,
} from './deliveries.ts';
import { type Peer, startPeer } from './peer.ts';

/** Deliveries a second to the healthy endpoint, and to all hostile ones together. */
const [healthyRate, hostileRate] = [20, 32];
const hostileCount = 16;
/** A delivery that has not arrived by then counts with this time. */
const limitMs = 30_000;
const kinds = ['headers', 'slow', 'fast', 'silent'];

type Turn = { p50: number; p99: number; errors: number; shares: Record<string, number> };
type Stage = { product: Deliveries; receiver: Peer<string>; endless: Peer<string> };

/**
 * G40, hostile receivers. A healthy endpoint alone, beside 16 whose receivers fail at once, and
 * beside 16 whose receivers never end their answers: from publication to arrival, and the CPU that
 * each process takes meanwhile, in cores.
 */
export const endlessReceivers: Bench = async ({ seconds, rounds }) => {
  const [receiver, endless] = [await startReceiver(), await startPeer<string>('endless.ts')];
  const product = await startDeliveries(receiver, ['/healthy']);
  const stage = { product, receiver, endless };
  const turn = (beside: readonly string[]) => () => besideThese(stage, beside, 4 * seconds);
  const results = await interleave(
    { alone: turn([]), failing: turn(['failing']), endless: turn(kinds) },
    rounds,
  );
  await product.stop();
  await Promise.all([receiver.stop(), endless.stop()]);
  const p99 = (turns: readonly Turn[]) => turns.map((each) => each.p99);
  const ratio = (name: string, turns: readonly Turn[], target?: Row['target']): Row =>
    withErrors(
      compare(
        {
          id: 'G40',
          what: `p99 of ${healthyRate} deliveries/s beside ${hostileCount} ${name} receivers`,
          unit: 'ms',
          against: 'alone',
          ...(target && { target }),
        },
        p99(turns),
        p99(results.alone),
      ),
      turns,
      results.alone,
    );
  return [
    ratio('endless', results.endless, { most: 1.5 }),
    ratio('failing', results.failing),
    ...Object.entries(results).flatMap(([name, turns]) => sharesOf(name, turns)),
  ];
};

/** The median share of each process, in cores. */
const sharesOf = (name: string, turns: readonly Turn[]): Row[] =>
  Object.keys(turns[0]?.shares ?? {}).map((part) => ({
    id: 'G40',
    what: `CPU of ${part}, ${name}`,
    unit: 'cores',
    ours: median(turns.map(({ shares }) => shares[part] ?? 0)),
  }));

function pidsOf({ product: { stack }, receiver, endless }: Stage): Record<string, number[]> {
  return {
    notifications: [stack.pid('notifications')],
    postgres: pidsStartedAs('postgres'),
    'nats-server': pidsStartedAs('nats-server'),
    'the endless receivers': [endless.pid],
    'the healthy receiver': [receiver.pid],
  };
}

/** One turn, with new endpoints, so that it does not profit from the turn before. */
async function besideThese(
  stage: Stage,
  beside: readonly string[],
  seconds: number,
): Promise<Turn> {
  const { product, receiver, endless } = stage;
  const others: Endpoint[] = [];
  for (let index = 0; beside.length > 0 && index < hostileCount; index++)
    others.push(
      await createEndpoint(
        product.stack,
        product,
        endless.ready,
        `/${beside[index % beside.length]}/${crypto.randomUUID()}`,
      ),
    );
  const count = Math.round(healthyRate * seconds);
  await resetReceiver(receiver);
  const pids = pidsOf(stage);
  const cpu = () => Object.entries(pids).map(([name, all]) => [name, cpuMicrosOf(...all)] as const);
  const [before, began] = [new Map(cpu()), performance.now()];
  await Promise.all([
    stream(product, product.endpoints, healthyRate, count),
    others.length > 0 && stream(product, others, hostileRate, Math.round(hostileRate * seconds)),
  ]);
  const arrived = await awaitReceived(receiver, count, limitMs);
  const micros = (performance.now() - began) * 1000;
  const shares = Object.fromEntries(
    cpu().map(([name, total]) => [name, (total - (before.get(name) ?? 0)) / micros]),
  );
  for (const other of others) await product.deleteEndpoint(other);
  await eventually('an empty stream', product.isEmpty, 120_000);
  return { p50: arrived.p50, p99: arrived.p99, errors: count - arrived.count, shares };
}

/** Tasks at a fixed rate, whether or not the earlier ones have arrived. */
async function stream(
  { publish, tenant }: Deliveries,
  endpoints: readonly Endpoint[],
  rate: number,
  count: number,
): Promise<void> {
  const published: Array<Promise<void>> = [];
  const began = performance.now();
  while (published.length < count) {
    const early = began + (published.length * 1000) / rate - performance.now();
    if (early > 0) await sleep(early);
    const to = endpoints[published.length % endpoints.length] as Endpoint;
    published.push(publish(deliveryTask(tenant, to)));
  }
  await Promise.all(published);
}
