import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Broker, openBroker } from '@bailiwick/broker';
import { createId } from '@bailiwick/contract';
import { publishTask } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { ownerOf } from '../support/broker.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { countOf } from '../support/store.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

// How the delivery queue treats slow, failing and rate-limited endpoints, and others next to them.

const settings = {
  BAILIWICK_RETRY_SCHEDULE: '0s,1s,1s,1s,1s,1s,1s,1s',
  BAILIWICK_BREAKER_PAUSES: '2s,4s',
  BAILIWICK_LIMITS: 'off',
};

describe('the delivery queue', () => {
  let stack: Stack;
  let receiver: Receiver;
  let broker: Broker;
  let token: string;
  let tenant: string;
  before(async () => {
    stack = await startStack('one process', settings);
    receiver = await startReceiver();
    broker = openBroker({
      url: stack.wiring.natsUrl,
      name: 'test',
      log: createLog('test', () => {}),
    });
    broker.claim(await ownerOf(stack));
    ({ token } = await signUp(stack));
    tenant = await createTenant(stack, token);
  });
  after(async () => {
    await broker?.close();
    await stack?.stop();
    await receiver?.stop();
  });

  async function createEndpoint(path: string, more: Record<string, unknown> = {}): Promise<string> {
    const Endpoint = {
      Tenant: tenant,
      Name: path,
      URL: receiver.url(path),
      EventTypes: ['none.of.these'],
      ...more,
    };
    const { status: code, body } = await stack.call('Webhooks_CreateEndpoint', { Endpoint }, token);
    assert.equal(code, 200, JSON.stringify(body));
    return (body['Endpoint'] as { ID: string }).ID;
  }
  /** Enqueues deliveries to an endpoint, as fan-out does. */
  async function enqueue(endpoint: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => createId('evt'));
    await Promise.all(
      ids.map((id) => {
        const request = {
          Tenant: tenant,
          Endpoint: endpoint,
          Type: 'test.sent',
          Body: Buffer.from(JSON.stringify({ id })).toString('base64'),
        };
        return publishTask(
          broker,
          { id: `${id}.${endpoint}`, operation: 'Webhooks_Deliver', request, extra: {} },
          { tenant, event: id },
        );
      }),
    );
    return ids;
  }
  const deliveredIds = (path: string) => new Set(receiver.at(path).map(({ id }) => id));
  const allArrive = (path: string, ids: readonly string[], limitMs = 20_000) =>
    eventually(
      `${ids.length} deliveries at ${path}`,
      async () => ids.every((id) => deliveredIds(path).has(id)),
      limitMs,
    );
  const delivered = (endpoint: string) =>
    countOf(stack, `notifications.delivery_attempt where endpoint = $1 and status = 'delivered'`, [
      endpoint,
    ]);

  test('a hanging endpoint does not delay others, and stays within its slots', async () => {
    const hung: Array<() => void> = [];
    receiver.answer('/hanging', (_request, response) => void hung.push(() => response.end()));
    const hanging = await createEndpoint('/hanging');
    const healthy = await Promise.all(
      Array.from({ length: 5 }, (_, index) => createEndpoint(`/healthy-${index}`)),
    );
    await enqueue(hanging, 150);
    await sleep(300);
    const began = Date.now();
    const ids = await Promise.all(healthy.map((endpoint) => enqueue(endpoint, 20)));
    await Promise.all(ids.map((some, index) => allArrive(`/healthy-${index}`, some)));
    assert.ok(Date.now() - began < 3000, `the others waited ${Date.now() - began} ms`);
    // Four in the normal lane and four in the slow one.
    assert.ok(receiver.most('/hanging') <= 8, `${receiver.most('/hanging')} at once`);
    // The endpoint answers again, and no delivery was lost.
    receiver.answer('/hanging');
    for (const answer of hung) answer();
    await eventually('all deliveries', async () => (await delivered(hanging)) === 150, 30_000);
  });

  test('Retry-After pauses an endpoint, even for later deliveries', async () => {
    const endpoint = await createEndpoint('/limited');
    receiver.answer('/limited', status(429, { 'retry-after': '3' }));
    const [first] = await enqueue(endpoint, 1);
    await allArrive('/limited', [first ?? '']);
    receiver.answer('/limited');
    const start = Date.now();
    await sleep(500);
    const ids = await enqueue(endpoint, 20);
    await allArrive('/limited', ids);
    const early = receiver.at('/limited').filter(({ at }) => at > start + 200 && at < start + 2500);
    assert.equal(early.length, 0, `${early.length} arrived during Retry-After`);
    await eventually(
      'the retry of the first delivery',
      async () => (await delivered(endpoint)) === 21,
    );
  });

  test('a failing endpoint is paused, probed by one delivery, and then gets all waiting deliveries', async () => {
    const endpoint = await createEndpoint('/failing');
    receiver.answer('/failing', status(500));
    const ids = await enqueue(endpoint, 30);
    const failedBy = () => receiver.at('/failing').length;
    await eventually(
      'the breaker to open',
      async () =>
        (await countOf(
          stack,
          'notifications.endpoint_health where endpoint = $1 and pause_ms > 0',
          [endpoint],
        )) === 1,
    );
    await sleep(700);
    const before = failedBy();
    await sleep(900);
    assert.equal(failedBy(), before, 'an attempt was made during the pause');
    await eventually('a probe', async () => failedBy() > before);
    await sleep(500);
    assert.equal(failedBy(), before + 1, 'more than one delivery probed the endpoint');
    receiver.answer('/failing');
    await eventually(
      'all deliveries',
      async () => (await delivered(endpoint)) === ids.length,
      40_000,
    );
    assert.equal(
      await countOf(stack, 'notifications.endpoint_health where endpoint = $1 and pause_ms > 0', [
        endpoint,
      ]),
      0,
    );
    assert.equal(
      await countOf(stack, 'notifications.delivery_waiting where endpoint = $1', [endpoint]),
      0,
    );
  });

  test('RateLimit limits the deliveries per second to an endpoint', async () => {
    const endpoint = await createEndpoint('/slowly', { RateLimit: 4 });
    const ids = await enqueue(endpoint, 14);
    await allArrive('/slowly', ids);
    const times = receiver.at('/slowly').map(({ at }) => at);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const bySecond = Map.groupBy(times, (at) => Math.floor((at - first) / 1000));
    // The database's seconds start at other moments, so one second here can overlap two of them.
    for (const some of bySecond.values())
      assert.ok(some.length <= 8, `${some.length} in one second`);
    assert.ok(last - first >= 2000, `all came within ${last - first} ms`);
  });

  test('deleting an endpoint deletes its waiting deliveries', async () => {
    const endpoint = await createEndpoint('/deleted');
    receiver.answer('/deleted', status(500));
    await enqueue(endpoint, 20);
    await eventually(
      'waiting rows',
      async () =>
        (await countOf(stack, 'notifications.delivery_waiting where endpoint = $1', [endpoint])) >
        5,
    );
    assert.equal(
      (await stack.call('Webhooks_DeleteEndpoint', { Tenant: tenant, ID: endpoint }, token)).status,
      200,
    );
    await eventually(
      'no waiting rows',
      async () =>
        (await countOf(stack, 'notifications.delivery_waiting where endpoint = $1', [endpoint])) ===
        0,
    );
  });
});
