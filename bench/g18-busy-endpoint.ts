import { Buffer } from 'node:buffer';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, median } from '@bailiwick/test/support/numbers.ts';
import { createTenant, signUp } from '@bailiwick/test/support/people.ts';
import { type Bench, type Row } from './bench.ts';
import { awaitReceived, resetReceiver, startReceiver } from './deliveries.ts';
import { openLoop, openPool, operation, type Result, type Shot } from './driver.ts';
import { startMeasured } from './stack.ts';

const publishers = 32;
const steadyRate = 50;
const batchSize = 100;
const limitMs = 180_000;

type Turn = { published: number; delivered: number; p50: number; p99: number; errors: number };

/**
 * G18, one busy endpoint: events that applications publish through the gateway, all for one
 * endpoint. As many as 32 publishers can send, one or a hundred a call, from the first publication to
 * the last arrival; and 50 a second, from publication to arrival.
 */
export const busyEndpoint: Bench = async ({ seconds, rounds }) => {
  const receiver = await startReceiver();
  const stack = await startMeasured('five processes');
  const { tenant, token } = await makeEndpoint(stack, `${receiver.ready}/busy`);
  const pool = openPool(stack.url);
  const shot = () => publication(tenant, token);

  /** Publishes events in calls of `size` each. */
  async function burst(count: number, size = 1): Promise<Turn & { cpu: number }> {
    await resetReceiver(receiver);
    const before = cpuOf(stack);
    const began = performance.now();
    const next = size === 1 ? shot : () => batchPublication(tenant, token, size);
    const errors = await publish(stack, next, count / size);
    const published = performance.now() - began;
    const { count: arrived, p50, p99 } = await awaitReceived(receiver, count, limitMs);
    const delivered = performance.now() - began;
    return {
      published: (count * 1000) / published,
      delivered: (count * 1000) / delivered,
      p50,
      p99,
      cpu: (cpuOf(stack) - before) / count,
      errors: errors + count - arrived,
    };
  }

  async function steady(): Promise<Turn> {
    await resetReceiver(receiver);
    const { perSecond, errors }: Result = await openLoop(
      { pool, next: shot },
      steadyRate,
      2 * seconds,
    );
    const count = Math.round(steadyRate * 2 * seconds);
    const { count: arrived, p50, p99 } = await awaitReceived(receiver, count, limitMs);
    return {
      published: perSecond,
      delivered: perSecond,
      p50,
      p99,
      errors: errors + count - arrived,
    };
  }

  await burst(300);
  const bursts: Array<Turn & { cpu: number }> = [];
  const batches: Array<Turn & { cpu: number }> = [];
  const calm: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    bursts.push(await burst(Math.round(1000 * seconds)));
    batches.push(await burst(batchSize * Math.round(10 * seconds), batchSize));
    calm.push(await steady());
  }
  await pool.close();
  await stack.stop();
  await receiver.stop();
  const row = (what: string, unit: string, values: number[], target?: Row['target']): Row => ({
    id: 'G18',
    what,
    unit,
    ours: median(values),
    ...(target && { target }),
    errors: [...bursts, ...batches, ...calm].reduce((total, { errors }) => total + errors, 0),
  });
  const of = <Key extends keyof Turn>(turns: readonly Turn[], key: Key) =>
    turns.map((turn) => turn[key]);
  return [
    row('events to one endpoint, 32 publishers: published', '1/s', of(bursts, 'published')),
    row('delivered, until the last arrival', '1/s', of(bursts, 'delivered')),
    row(
      'time to the last arrival, in times of publishing',
      '×',
      bursts.map(({ published, delivered }) => published / delivered),
      { most: 1.5 },
    ),
    row('p50 from publication to arrival, meanwhile', 'ms', of(bursts, 'p50')),
    row(
      'CPU of an event, without the database and the broker',
      'µs',
      bursts.map(({ cpu }) => cpu),
    ),
    row(
      `delivered, published in batches of ${batchSize}, until the last arrival`,
      '1/s',
      of(batches, 'delivered'),
    ),
    row(
      'CPU of an event in a batch, without the database and the broker',
      'µs',
      batches.map(({ cpu }) => cpu),
    ),
    row(`p50 of ${steadyRate} events/s, publication to arrival`, 'ms', of(calm, 'p50'), {
      most: 8,
    }),
    row(`p99 of ${steadyRate} events/s, publication to arrival`, 'ms', of(calm, 'p99'), {
      most: 20,
    }),
  ];
};

const cpuOf = (stack: OwnStack): number =>
  (['gateway', 'identity', 'access', 'notifications'] as const).reduce(
    (total, name) => total + cpuMicrosOf(stack.pid(name)),
    0,
  );

/** A tenant with one endpoint, and the token of its owner. */
export async function makeEndpoint(stack: OwnStack, URL: string) {
  const { token } = await signUp(stack);
  const tenant = await createTenant(stack, token);
  const endpoint = { Tenant: tenant, Name: 'busy', URL, EventTypes: ['bench.happened'] };
  const { status, body } = await stack.call(
    'Webhooks_CreateEndpoint',
    { Endpoint: endpoint },
    token,
  );
  if (status !== 200) throw new Error(`creating an endpoint failed: ${JSON.stringify(body)}`);
  return { tenant, token };
}

export const publication = (Tenant: string, token: string): Shot =>
  operation('Events_Publish', { Tenant, ...newEvent() }, token);

function batchPublication(Tenant: string, token: string, size: number): Shot {
  const Events = Array.from({ length: size }, newEvent);
  return operation('Events_PublishBatch', { Tenant, Events }, token);
}

function newEvent() {
  const event = { publishedAt: performance.timeOrigin + performance.now(), text: 'x'.repeat(240) };
  return {
    Type: 'bench.happened',
    Body: Buffer.from(JSON.stringify(event)).toString('base64'),
  };
}

/** Publishes `count` events with 32 publishers. Returns the number of failed calls. */
export async function publish(stack: OwnStack, next: () => Shot, count: number): Promise<number> {
  const pool = openPool(stack.url);
  let [remaining, errors] = [count, 0];
  const publisher = async () => {
    while (remaining-- > 0) {
      const { path, headers, body } = next();
      const answer = await pool.request({
        method: 'POST',
        path,
        headers: headers ?? {},
        body: body ?? null,
      });
      await answer.body.dump();
      if (answer.statusCode !== 200) errors++;
    }
  };
  await Promise.all(Array.from({ length: publishers }, publisher));
  await pool.close();
  return errors;
}
