import { cpuMicrosOf, median } from '@bailiwick/test/support/numbers.ts';
import { countOf } from '@bailiwick/test/support/store.ts';
import {
  type Bench,
  compare,
  compareCost,
  interleave,
  type Options,
  type Row,
  withErrors,
} from './bench.ts';
import { createEmptyDatabase } from './database.ts';
import {
  awaitReceived,
  concurrency,
  type Deliveries,
  deliveryTask,
  pathsOf,
  resetReceiver,
  startDeliveries,
  startReceiver,
} from './deliveries.ts';
import { cycle } from './driver.ts';
import { type Peer, startPeer } from './peer.ts';
import type { Drained, QueueQuestion } from './peers/post.ts';
import { findRedis, startRedis } from './redis.ts';

const endpointCount = 100;
const firstTurn = 500;

type Turn = { perSecond: number; cpu: number; errors: number };
type Measured = { turn: () => Promise<Turn>; stop: () => Promise<void> };

const peers = {
  floor: 'JetStream, undici, ack',
  bullmq: 'BullMQ',
  graphile: 'graphile-worker',
  tuned: 'graphile-worker, with local queue and batches',
} as const;
type PeerName = keyof typeof peers;

const targets: Partial<Record<PeerName, number>> = { floor: 0.8, bullmq: 1.3, graphile: 3.5 };

/**
 * G7, the cost of a delivery beyond the post itself: tasks to a hundred endpoints, from all
 * published to all acknowledged, with the same bodies, signatures, receiver and concurrency for
 * every system.
 */
export const deliveries: Bench = async (options) => {
  const receiver = await startReceiver();
  const paths = pathsOf(endpointCount);
  const product = await startDeliveries(receiver, paths);
  const ours = measureOurs(product, receiver, options);
  const toOne = measureOurs(
    { ...product, endpoints: product.endpoints.slice(0, 1) },
    receiver,
    options,
  );
  const program = findRedis();
  const redis = program === undefined ? undefined : await startRedis(program);
  const started: Partial<Record<PeerName, Measured>> = {
    floor: await measurePeer('floor.ts', [product.stack.wiring.natsUrl], receiver, options),
    ...(redis && {
      bullmq: await measurePeer('bullmq.ts', [String(redis.port)], receiver, options),
    }),
    graphile: await measurePeer(
      'graphile-worker.ts',
      [await createEmptyDatabase()],
      receiver,
      options,
    ),
    tuned: await measurePeer(
      'graphile-worker.ts',
      [await createEmptyDatabase()],
      receiver,
      options,
      'tuned',
    ),
  };
  const turns = Object.fromEntries(Object.entries(started).map(([name, { turn }]) => [name, turn]));
  const results: Record<string, Turn[]> = await interleave(
    { ours: ours.turn, toOne: toOne.turn, ...turns },
    options.rounds,
  );

  const unlogged =
    ours.published() +
    toOne.published() -
    (await countOf(
      product.stack,
      "notifications.delivery_attempt where operation = 'Webhooks_Deliver' and status = 'delivered'",
    ));
  await Promise.all(Object.values(started).map(({ stop }) => stop()));
  await Promise.all([product.stop(), redis?.stop()]);
  await receiver.stop();
  const [own = [], one = []] = [results['ours'], results['toOne']];
  return [
    ...Object.keys(peers).flatMap((name) =>
      rowsAgainst(name as PeerName, own, results[name], unlogged),
    ),
    oneAgainstAll(one, own, unlogged),
  ];
};

/** A backlog for one endpoint compared with one of the same tenant for a hundred. */
function oneAgainstAll(one: readonly Turn[], all: readonly Turn[], unlogged: number): Row {
  const row = {
    id: 'G7',
    what: 'deliveries to one endpoint, five processes',
    unit: '1/s',
    against: `to ${endpointCount} endpoints`,
    target: { least: 0.7 },
  };
  const rate = ({ perSecond }: Turn) => perSecond;
  const compared = compare(row, one.map(rate), all.map(rate));
  return withErrors(compared, one, all, [{ errors: Math.abs(unlogged) }]);
}

function rowsAgainst(
  name: PeerName,
  ours: readonly Turn[],
  theirs: readonly Turn[] | undefined,
  unlogged: number,
): Row[] {
  const least = targets[name];
  const target = least === undefined ? {} : { target: { least } };
  const deliveries = {
    id: 'G7',
    what: 'deliveries, five processes',
    unit: '1/s',
    against: peers[name],
    ...target,
  };
  const cost = {
    id: 'G7',
    what: 'CPU of a delivery, without the database and the broker',
    unit: 'µs',
    against: peers[name],
  };
  const of = (turns: readonly Turn[], key: 'perSecond' | 'cpu') => turns.map((turn) => turn[key]);
  if (!theirs)
    return [
      { ...deliveries, ours: median(of(ours, 'perSecond')), missing: 'no redis-server here' },
    ];
  return [
    compare(deliveries, of(ours, 'perSecond'), of(theirs, 'perSecond')),
    compareCost(cost, of(ours, 'cpu'), of(theirs, 'cpu')),
  ].map((row) => withErrors(row, ours, theirs, [{ errors: Math.abs(unlogged) }]));
}

/** The number of tasks for the next turn: as many as complete in the duration of one. */
const countFor = (perSecond: number, { seconds }: Options) =>
  Math.max(firstTurn, Math.round(perSecond * seconds));

function measureOurs(
  { heap, drain, tenant, endpoints }: Deliveries,
  receiver: Peer<string>,
  options: Options,
) {
  const next = cycle(endpoints);
  let [perSecond, published] = [0, 0];
  return {
    published: () => published,
    async turn(): Promise<Turn> {
      const count = countFor(perSecond, options);
      await resetReceiver(receiver);
      await heap(count, () => deliveryTask(tenant, next()));
      published += count;
      const { arrived, seconds, cpu } = await drain(() => awaitReceived(receiver, count));
      perSecond = count / seconds;
      return { perSecond, cpu: cpu / count, errors: count - arrived.count };
    },
  };
}

async function measurePeer(
  script: string,
  from: readonly string[],
  receiver: Peer<string>,
  options: Options,
  ...more: readonly string[]
): Promise<Measured> {
  const peer = await startPeer(
    script,
    ...from,
    receiver.ready,
    JSON.stringify(pathsOf(endpointCount)),
    String(concurrency),
    ...more,
  );
  const ask = <Answer>(question: QueueQuestion) => peer.ask<Answer>(question);
  let perSecond = 0;
  return {
    stop: () => peer.stop(),
    async turn() {
      const count = countFor(perSecond, options);
      await resetReceiver(receiver);
      await ask({ kind: 'publish', count });
      const before = cpuMicrosOf(peer.pid);
      const { calls, errors, seconds } = await ask<Drained>({ kind: 'drain' });
      const cpu = (cpuMicrosOf(peer.pid) - before) / count;
      const { count: got } = await awaitReceived(receiver, count);
      perSecond = calls / seconds;
      return { perSecond, cpu, errors: errors + count - got };
    },
  };
}
