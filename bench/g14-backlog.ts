import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createRingService, createTenantKeys, parseKeyRing } from '@bailiwick/keys';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import type { Task } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { openDatabase } from '@bailiwick/store';
import { median, residentMbOf } from '@bailiwick/test/support/numbers.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';
import { type Bench, compare, type Row } from './bench.ts';
import {
  awaitReceived,
  type Deliveries,
  deliveryTask,
  pathsOf,
  resetReceiver,
  startDeliveries,
  startReceiver,
} from './deliveries.ts';
import { cycle } from './driver.ts';
import type { Peer } from './peer.ts';

const endpointCount = 100;
/** Rows sealed and written in one batch. */
const batch = 2000;

type Drained = { first: number; last: number; most: number; errors: number };

/**
 * G14, a backlog with half of the tasks in the stream and half as due rows. Compares the rate of
 * the last tenth with the first, and the worker's peak memory with that of a backlog a tenth as
 * large, which also warms up.
 */
export const backlog: Bench = async ({ rounds, tasks }) => {
  const receiver = await startReceiver();
  const product = await startDeliveries(receiver, pathsOf(endpointCount));
  const rows = openRows(product);
  const drained: Drained[] = [];
  const small: Drained[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round === 0) small.push(await drain(product, rows, receiver, Math.ceil(tasks / 10)));
    drained.push(await drain(product, rows, receiver, tasks));
    process.stderr.write('.');
  }
  await rows.close();
  await product.stop();
  await receiver.stop();

  const errors = [...small, ...drained].reduce((total, each) => total + each.errors, 0);
  const rate: Row = compare(
    {
      id: 'G14',
      what: `the last tenth of ${tasks} tasks`,
      unit: '1/s',
      against: 'the first tenth',
      target: { least: 0.95 },
    },
    drained.map(({ last }) => last),
    drained.map(({ first }) => first),
  );
  const more = median(drained.map(({ most }) => most)) - (small[0]?.most ?? Number.NaN);
  const memory: Row = {
    id: 'G14',
    what: `more memory than for ${Math.ceil(tasks / 10)} tasks`,
    unit: 'MB',
    ours: more,
    target: { most: 20 },
  };
  return [rate, memory].map((row) => ({ ...row, errors }));
};

async function drain(
  product: Deliveries,
  rows: ReturnType<typeof openRows>,
  receiver: Peer<string>,
  count: number,
): Promise<Drained> {
  const next = cycle(product.endpoints);
  const task = () => deliveryTask(product.tenant, next());
  await resetReceiver(receiver);
  await rows.add(Math.floor(count / 2), task);
  // They become due while the worker is stopped.
  await product.heap(Math.ceil(count / 2), task);
  await rows.makeDue();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, residentMbOf(product.worker()));
  }, 100);
  const { arrived } = await product.drain(() => awaitReceived(receiver, count, 3_600_000));
  clearInterval(watch);
  const { tenths } = arrived;
  const rateOf = (tenth: number) =>
    (count / 10 / ((tenths[tenth + 1] ?? Number.NaN) - (tenths[tenth] ?? Number.NaN))) * 1000;
  return {
    first: rateOf(0),
    last: rateOf(9),
    most,
    errors: count - arrived.count + (await rows.left()),
  };
}

/**
 * Rows as a failed first attempt leaves them, each with its request sealed by the product's keys.
 */
function openRows({ stack, tenant }: Deliveries) {
  const { entities } = notificationsSchema;
  const database = openDatabase({
    service: 'notifications',
    url: stack.databaseUrl,
    entities,
    poolSize: 2,
    log: createLog('bench', () => {}),
  });
  const keys = createTenantKeys({
    database,
    service: createRingService(
      parseKeyRing(readFileSync(stack.wiring.secrets.keyRingFile, 'utf8')),
    ),
  });

  async function insert(tasks: readonly Task[]): Promise<void> {
    const sealed = await Promise.all(
      tasks.map(({ id, request }) =>
        keys.seal(tenant, Buffer.from(JSON.stringify(request)), [id, 'request']),
      ),
    );
    await rowsOf(
      stack,
      `insert into notifications.delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, due_at, enqueued_at, extra, dek_id, request)
       select task, 'waiting', 'webhook', 'Webhooks_Deliver', $1, endpoint, '', 2, now() + interval '1 day', now(), '{}', dek, request
       from unnest($2::text[], $3::text[], $4::text[], $5::bytea[]) as given (task, endpoint, dek, request)`,
      [
        tenant,
        tasks.map(({ id }) => id),
        tasks.map(({ request }) => request['Endpoint']),
        sealed.map(({ dekId }) => dekId),
        sealed.map((each) => each.sealed),
      ],
    );
  }

  return {
    async add(count: number, task: () => Task): Promise<void> {
      for (let at = 0; at < count; at += batch)
        await insert(Array.from({ length: Math.min(batch, count - at) }, task));
      await rowsOf(stack, 'vacuum analyze notifications.delivery_waiting');
    },
    makeDue: () =>
      rowsOf(
        stack,
        "update notifications.delivery_waiting set due_at = now() where state = 'waiting'",
      ),
    async left(): Promise<number> {
      const [row] = await rowsOf<{ count: number }>(
        stack,
        'select count(*)::int as count from notifications.delivery_waiting',
      );
      return row?.count ?? 0;
    },
    close: () => database.close(),
  };
}
