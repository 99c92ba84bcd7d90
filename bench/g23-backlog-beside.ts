import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '@bailiwick/test/support/numbers.ts';
import { createTenant, signUp } from '@bailiwick/test/support/people.ts';
import { countOf } from '@bailiwick/test/support/store.ts';
import { type Bench, type Row } from './bench.ts';
import {
  awaitReceived,
  createEndpoint,
  type Deliveries,
  deliveryTask,
  type Endpoint,
  openFeed,
  resetReceiver,
  startDeliveries,
  startReceiver,
} from './deliveries.ts';

const atOnce = 256;
const everyMs = 100;
const calmCount = 60;
const limitMs = 60_000;

/**
 * G23, a backlog of one tenant beside another tenant: tasks of one endpoint are published as fast
 * as the broker takes them, and meanwhile ten a second to the endpoint of another tenant. For that
 * one, the time from publication to arrival; for the backlog, the time until it is delivered.
 */
export const backlogBeside: Bench = async ({ tasks, rounds }) => {
  const receiver = await startReceiver();
  const busy = await startDeliveries(receiver, ['/busy']);
  const { token } = await signUp(busy.stack);
  const tenant = await createTenant(busy.stack, token);
  const endpoint = await createEndpoint(busy.stack, { tenant, token }, receiver.ready, '/calm');
  const calm = { feed: await openFeed(busy.stack, tenant), tenant, endpoint };
  const turns: Array<{ p50: number; p99: number; perSecond: number; errors: number }> = [];
  for (let round = 0; round < rounds; round++) {
    await resetReceiver(receiver, { path: '/busy', hangs: false });
    const began = performance.now();
    const published = pile(busy, tasks);
    await trickle(calm);
    const { count, p50, p99 } = await awaitReceived(receiver, calmCount, limitMs);
    await published;
    while (await isWaiting(busy)) await sleep(100);
    const seconds = (performance.now() - began) / 1000;
    turns.push({ p50, p99, perSecond: tasks / seconds, errors: calmCount - count });
  }
  await calm.feed.close();
  await busy.stop();
  await receiver.stop();
  const row = (what: string, unit: string, values: number[], target?: Row['target']): Row => ({
    id: 'G23',
    what,
    unit,
    ours: median(values),
    ...(target && { target }),
    errors: turns.reduce((total, { errors }) => total + errors, 0),
  });
  const beside = `beside ${tasks} tasks of another tenant's endpoint`;
  return [
    row(
      `p50 of 10 deliveries/s ${beside}`,
      'ms',
      turns.map((turn) => turn.p50),
    ),
    row(
      `p99 of 10 deliveries/s ${beside}`,
      'ms',
      turns.map((turn) => turn.p99),
      { most: 1000 },
    ),
    row(
      'deliveries of these tasks',
      '1/s',
      turns.map((turn) => turn.perSecond),
    ),
  ];
};

/** Publishes tasks for the first endpoint. */
async function pile({ publish, tenant, endpoints }: Deliveries, count: number): Promise<void> {
  const [endpoint] = endpoints;
  if (!endpoint) throw new Error('there is no endpoint');
  for (let at = 0; at < count; at += atOnce) {
    const size = Math.min(atOnce, count - at);
    await Promise.all(Array.from({ length: size }, () => publish(deliveryTask(tenant, endpoint))));
  }
}

type Calm = { feed: Pick<Deliveries, 'publish'>; tenant: string; endpoint: Endpoint };

async function trickle({ feed, tenant, endpoint }: Calm): Promise<void> {
  for (let index = 0; index < calmCount; index++) {
    await feed.publish(deliveryTask(tenant, endpoint));
    await sleep(everyMs);
  }
}

const isWaiting = async ({ stack, isEmpty }: Deliveries): Promise<boolean> =>
  !(await isEmpty()) || (await countOf(stack, 'notifications.delivery_waiting')) > 0;
