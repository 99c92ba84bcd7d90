import { Buffer } from 'node:buffer';
import process from 'node:process';
import { openBroker } from '@bailiwick/broker';
import { createId } from '@bailiwick/contract';
import { createLaneQuotas } from '@bailiwick/notifications/fanout/lane-quotas.ts';
import { publishTask, type Task } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { ownerOf } from '@bailiwick/test/support/broker.ts';
import { eventually, type OwnStack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { createTenant, signUp } from '@bailiwick/test/support/people.ts';
import { type Peer, startPeer } from './peer.ts';
import { bodyOf } from './peers/post.ts';
import type { Aside, Received, ReceiverQuestion } from './peers/receiver.ts';
import { startMeasured } from './stack.ts';

// Deliveries of the product. The bench publishes tasks to the stream, as fan-out does, at any rate.

export type Deliveries = Awaited<ReturnType<typeof startDeliveries>>;

/** An endpoint of the tenant, and the path of its URL. */
export type Endpoint = { id: string; path: string };

/** Default number of concurrent webhooks of one process. The peers use the same. */
export const concurrency = 64;

const inFlight = 256;

export const startReceiver = () => startPeer<string>('receiver.ts');
export const pathsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `/hook-${index}`);

/**
 * Five processes with a tenant whose endpoints all lead to one receiver. The endpoints only get the
 * tasks that the bench publishes.
 */
export async function startDeliveries(receiver: Peer<string>, paths: readonly string[]) {
  const stack = await startMeasured('five processes', { BAILIWICK_ENDPOINTS_PER_TENANT: '1000' });
  const { token } = await signUp(stack);
  const tenant = await createTenant(stack, token);
  const feed = await openFeed(stack, tenant);
  const endpoints: Endpoint[] = [];
  const create = (path: string) => createEndpoint(stack, { tenant, token }, receiver.ready, path);
  for (const path of paths) endpoints.push(await create(path));

  return {
    ...feed,
    stack,
    tenant,
    token,
    endpoints,
    createEndpoint: create,

    async deleteEndpoint({ id }: Endpoint): Promise<void> {
      await stack.call('Webhooks_DeleteEndpoint', { Tenant: tenant, ID: id }, token);
    },

    async stop(): Promise<void> {
      await feed.close();
      await stack.stop();
    },
  };
}

/** Creates an endpoint of a tenant that leads to the receiver, and gets no events. */
export async function createEndpoint(
  stack: OwnStack,
  { tenant, token }: { tenant: string; token: string },
  origin: string,
  path: string,
): Promise<Endpoint> {
  const endpoint = {
    Tenant: tenant,
    Name: path,
    URL: `${origin}${path}`,
    EventTypes: ['none.of.these'],
  };
  const { status, body } = await stack.call(
    'Webhooks_CreateEndpoint',
    { Endpoint: endpoint },
    token,
  );
  if (status !== 200) throw new Error(`creating an endpoint failed: ${JSON.stringify(body)}`);
  return { id: (body['Endpoint'] as { ID: string }).ID, path };
}

/** A task as fan-out makes it. */
export function deliveryTask(tenant: string, { id: endpoint }: Endpoint): Task {
  const body = bodyOf(createId('evt'));
  const request = {
    Tenant: tenant,
    Endpoint: endpoint,
    Type: 'group.updated',
    Body: Buffer.from(body).toString('base64'),
  };
  return { id: createId('tsk'), operation: 'Webhooks_Deliver', request, extra: {} };
}

/** Publishes tasks to the stream of a stack, and measures the time until it is empty. */
export async function openFeed(stack: OwnStack, tenant: string) {
  const broker = openBroker({
    url: stack.wiring.natsUrl,
    name: 'bench',
    log: createLog('bench', () => {}),
  });
  broker.claim(await ownerOf(stack));
  await eventually('the broker', () => Promise.resolve(broker.isConnected()));
  const worker = () => stack.pid('notifications');
  const goOn = () => void process.kill(worker(), 'SIGCONT');
  const quotas = createLaneQuotas();
  const publish = (task: Task) =>
    publishTask(broker, task, { tenant, event: createId('evt'), lane: quotas.laneOf(tenant) });
  const isEmpty = async () => (await broker.oldest('TASK', 'task.>')) === undefined;

  return {
    worker,

    publish,

    /** Publishes tasks while the worker is stopped, so that it starts with all of them. */
    async heap(count: number, task: (index: number) => Task): Promise<void> {
      process.kill(worker(), 'SIGSTOP');
      for (let at = 0; at < count; at += inFlight) {
        await Promise.all(
          Array.from({ length: Math.min(inFlight, count - at) }, (_, index) =>
            publish(task(at + index)),
          ),
        );
      }
    },

    /**
     * Continues the worker. Resolves with the result of `arrived`, once the broker has stored every
     * acknowledgement.
     */
    async drain<T>(
      arrived: () => Promise<T>,
    ): Promise<{ arrived: T; seconds: number; cpu: number }> {
      const [before, began] = [cpuMicrosOf(worker()), performance.now()];
      goOn();
      const result = await arrived();
      await eventually('an empty stream', isEmpty, 60_000);
      return {
        arrived: result,
        seconds: (performance.now() - began) / 1000,
        cpu: cpuMicrosOf(worker()) - before,
      };
    },

    goOn,
    isEmpty,
    close: () => broker.close(),
  };
}

/** Clears the receiver's counts, and answers hanging requests. */
export const resetReceiver = (receiver: Peer<string>, aside?: Aside) =>
  receiver.ask({ kind: 'reset', ...(aside && { aside }) } satisfies ReceiverQuestion);

/** Waits until so many bodies have arrived, at most `limitMs`. */
export const awaitReceived = (
  receiver: Peer<string>,
  count: number,
  limitMs = 120_000,
): Promise<Received> =>
  receiver.ask<Received>({ kind: 'await', count, limitMs } satisfies ReceiverQuestion);
