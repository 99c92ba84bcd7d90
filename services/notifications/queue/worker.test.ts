import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Broker, type BrokerMessage } from '@bailiwick/broker';
import { createId, operations } from '@bailiwick/contract';
import { invalid, ServiceError, unavailable } from '@bailiwick/errors';
import { firstPublicationHeader, taskHeaders } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import type { AccountTasksSendNoticeRequest } from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import type { Message } from '@bufbuild/protobuf';
import { createLatencyTracker } from '../health/latency-tracker.ts';
import type { TaskAttempt, Tasks } from '../sending/task.ts';
import { mailUnavailable } from './attempt-outcome.ts';
import { createSlotPool } from './slots.ts';
import type { Finished, Store } from './store.ts';
import { startWorker, type WorkerDeps } from './worker.ts';

type WorkOptions = {
  isStopping?: boolean;
  isDone?: boolean;
  headers?: Record<string, string>;
  body?: string;
  fail?: unknown;
  deliveries?: number;
  newSince?: Date | undefined;
  /** Results are never stored, and the message comes three times. */
  isStuck?: boolean;
  /** The pause of the endpoint that has just ended. */
  pauseMs?: number;
  concurrency?: number;
};

/** The request of a delivery whose body has so many bytes. */
const deliveryOf = (bytes: number): string =>
  JSON.stringify({
    Tenant: createId('tnt'),
    Endpoint: createId('whk'),
    Type: 'a',
    Body: Buffer.alloc(bytes).toString('base64'),
  });

/** Passes one message to a worker and returns what happened. */
async function work({
  isStopping = false,
  isDone = false,
  headers = {},
  body = '{"Email":"a@example.org","Kind":"password_changed"}',
  fail,
  deliveries = 1,
  newSince,
  isStuck = false,
  pauseMs = 0,
  concurrency = 1,
}: WorkOptions) {
  const happened: string[] = [];
  const finished: Finished[] = [];
  const calls: Array<{ request: Message; attempt: TaskAttempt }> = [];
  const all: Record<string, string> = {
    [taskHeaders.operation]: 'Account_Task_SendNotice',
    [taskHeaders.task]: 'tsk_1',
    [taskHeaders.attempt]: '2',
    [taskHeaders.enqueued]: '2026-01-01T00:00:00.000Z',
    [taskHeaders.extra]: '{"locale":"de"}',
    ...headers,
  };
  const message: BrokerMessage = {
    id: 'tsk_1:2',
    subject: 'task.email.notice',
    text: () => body,
    header: (name) => all[name] ?? '',
    deliveries,
    newSince,
    ack: () => void happened.push('ack'),
    retry: (delayMs) => void happened.push(`retry after ${delayMs}`),
  };
  let handle: ((message: BrokerMessage) => Promise<void>) | undefined;
  const broker = {
    consume: (_options: unknown, take: typeof handle) => (handle = take),
  } as unknown as Broker;
  const tasks: Tasks = new Map(
    [...operations.values()].map(({ method }) => [
      method,
      (request, attempt) => {
        calls.push({ request, attempt });
        return fail === undefined ? Promise.resolve({ response: {} }) : Promise.reject(fail);
      },
    ]),
  );
  const store = {
    isDone: () => Promise.resolve(isDone),
    finish: (what: Finished) =>
      isStuck
        ? new Promise(() => {})
        : Promise.resolve(void (finished.push(what), happened.push('finish'))),
    park: () => Promise.resolve(void happened.push('park')),
  } as unknown as Store;
  const other = [0, 1000, 1000];
  const endpointState = { rateLimit: 0, pausedUntil: null, pauseMs, isFailing: false };
  const endpoints = {
    endpointStates: { get: () => Promise.resolve(endpointState) },
    limiter: undefined,
    health: { update: () => Promise.resolve(void happened.push('health')) },
  } as unknown as Pick<WorkerDeps, 'endpointStates' | 'limiter' | 'health'>;
  const deps = {
    ...endpoints,
    slotPool: createSlotPool(),
    latency: createLatencyTracker(),
    probing: new Set<string>(),
    schedules: { webhook: other, other },
    broker,
    tasks,
    store,
  };
  const stop = startWorker(
    { ...deps, log: createLog('test', () => {}) },
    { name: 'email', concurrency },
  );
  if (isStopping) await stop();
  if (isStuck) {
    for (let times = 0; times < 3; times++) {
      void handle?.(message);
      await setImmediate();
    }
  } else await handle?.(message);
  return { happened, finished, calls };
}

test('an attempt is recorded before its message is acknowledged', async () => {
  const { happened, finished } = await work({});
  assert.deepEqual(happened, ['finish', 'ack']);
  assert.equal(finished[0]?.outcome.status, 'delivered');
  assert.deepEqual(finished[0]?.plan, { state: 'done' });
});

test('a delivered attempt frees its slot before its result is stored, a failed one keeps it', async () => {
  assert.equal((await work({ isStuck: true })).calls.length, 3);
  assert.equal((await work({ isStuck: true, fail: invalid('no') })).calls.length, 1);
});

test('a probe of an endpoint after its pause ends when its result is stored', async () => {
  const { calls, happened } = await work({
    headers: { [taskHeaders.operation]: 'Webhooks_Deliver' },
    body: deliveryOf(1),
    isStuck: true,
    pauseMs: 1000,
    concurrency: 4,
  });
  assert.equal(calls.length, 1);
  assert.deepEqual(happened, ['park', 'ack', 'park', 'ack']);
});

test('an attempt calls its task with the request and the number of the attempt', async () => {
  const [call] = (await work({})).calls;
  assert.ok(call);
  assert.equal((call.request as AccountTasksSendNoticeRequest).email, 'a@example.org');
  assert.deepEqual(call.attempt, {
    id: 'tsk_1',
    number: 2,
    enqueued: new Date('2026-01-01T00:00:00Z'),
    extra: { locale: 'de' },
  });
});

test('a redelivered attempt is acknowledged and not repeated', async () => {
  const { happened, calls } = await work({ isDone: true });
  assert.deepEqual(happened, ['ack']);
  assert.equal(calls.length, 0);
});

test('the first message of a first attempt is not looked up, any other is', async () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const first = {
    [taskHeaders.attempt]: '1',
    [firstPublicationHeader]: 'true',
    [taskHeaders.enqueued]: minutesAgo(0).toISOString(),
  };
  const isMade = async (headers: Record<string, string>, newSince?: Date) => {
    const { calls } = await work({ isDone: true, newSince, headers: { ...first, ...headers } });
    return calls.length === 1;
  };
  const hourAgo = minutesAgo(60);
  const isMadeAt = (enqueued: string, newSince = hourAgo) =>
    isMade({ [taskHeaders.enqueued]: enqueued }, newSince);
  assert.equal(await isMade({}, hourAgo), true);
  assert.equal(await isMade({}), false);
  assert.equal(await isMade({ [firstPublicationHeader]: '' }, hourAgo), false);
  assert.equal(await isMade({ [taskHeaders.attempt]: '2' }, hourAgo), false);
  assert.equal(await isMadeAt(minutesAgo(7).toISOString()), true);
  assert.equal(await isMadeAt(minutesAgo(8).toISOString()), false);
  assert.equal(await isMadeAt(minutesAgo(-1).toISOString()), false);
  assert.equal(await isMadeAt('noon'), false);
  assert.equal(await isMadeAt(''), false);
  // The broker may have forgotten its deliveries from before the connection; clocks differ.
  assert.equal(await isMadeAt(minutesAgo(3).toISOString(), minutesAgo(4.1)), true);
  assert.equal(await isMadeAt(minutesAgo(3).toISOString(), minutesAgo(3.9)), false);
});

test('a stopping worker returns messages without an attempt, for after its end', async () => {
  const { happened, calls } = await work({ isStopping: true });
  assert.deepEqual(happened, ['retry after 1000']);
  assert.equal(calls.length, 0);
});

test('a mail that was not sent waits for its next attempt', async () => {
  const { happened, finished } = await work({
    fail: new ServiceError('unavailable', mailUnavailable, 'away'),
  });
  assert.deepEqual(happened, ['finish', 'ack']);
  assert.equal(finished[0]?.plan.state, 'waiting');
});

test('an internal error returns the message without counting an attempt', async () => {
  assert.deepEqual((await work({ fail: unavailable() })).happened, ['retry after 1000']);
  assert.deepEqual((await work({ fail: new TypeError('a defect') })).happened, [
    'retry after 1000',
  ]);
});

test('an invalid request becomes a dead letter', async () => {
  const { finished } = await work({ body: '{"Email":7}' });
  assert.equal(finished[0]?.outcome.status, 'failed');
  assert.deepEqual(finished[0]?.plan, { state: 'dead' });
});

test('a delivery that is too large becomes a dead letter, and does not count against the receiver', async () => {
  const headers = { [taskHeaders.operation]: 'Webhooks_Deliver' };
  const { finished, calls, happened } = await work({ headers, body: deliveryOf(262_145) });
  assert.equal(calls.length, 0);
  assert.deepEqual(
    [finished[0]?.outcome.status, finished[0]?.outcome.error],
    ['failed', 'payload_too_large'],
  );
  assert.deepEqual(finished[0]?.plan, { state: 'dead' });
  assert.deepEqual(happened, ['finish', 'ack']);
  // A body of exactly the limit is attempted; other invalid requests do not count against the
  // receiver either.
  const { calls: called, happened: then } = await work({
    headers,
    body: deliveryOf(262_144),
    fail: invalid('no'),
  });
  assert.equal(called.length, 1);
  assert.deepEqual(then, ['finish', 'ack']);
});

test('an expired task is dropped without being attempted', async () => {
  const { finished, calls } = await work({
    headers: { [taskHeaders.extra]: '{"expiresAt":"2020-01-01T00:00:00Z"}' },
  });
  assert.equal(calls.length, 0);
  assert.equal(finished[0]?.outcome.status, 'dropped');
});

const unreadable: Record<string, WorkOptions> = {
  'is of a newer version': { headers: { [taskHeaders.operation]: 'Pager_Call' } },
  'has no task': { headers: { [taskHeaders.task]: '' } },
  'has an attempt that is not a number': { headers: { [taskHeaders.attempt]: 'x' } },
  'has an attempt that PostgreSQL does not store': {
    headers: { [taskHeaders.attempt]: '2147483648' },
  },
  'has a first attempt that is not a number': { headers: { [taskHeaders.first]: '1.5' } },
  'has extra values that are not JSON': { headers: { [taskHeaders.extra]: '{' } },
  'has extra values with NUL': { headers: { [taskHeaders.extra]: '{"locale":"\\u0000"}' } },
  'has a tenant with NUL': { body: '{"Tenant":"\\u0000"}' },
};
for (const [what, message] of Object.entries(unreadable)) {
  test(`a task that ${what} is redelivered by the schedule, then becomes a dead letter`, async () => {
    assert.deepEqual((await work({ ...message, deliveries: 2 })).happened, ['retry after 1000']);
    const { happened, finished, calls } = await work({ ...message, deliveries: 3 });
    assert.deepEqual(happened, ['finish', 'ack']);
    assert.deepEqual(
      [finished[0]?.outcome.status, finished[0]?.plan, finished[0]?.attempt.endpoint],
      ['failed', { state: 'dead' }, ''],
    );
    assert.equal(calls.length, 0);
  });
}
