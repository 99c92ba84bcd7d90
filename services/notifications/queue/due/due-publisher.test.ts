import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Broker } from '@bailiwick/broker';
import type { Origin } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import { taskHeaders } from '@bailiwick/outbox';
import { continueTrace, createLog, currentTraceparent, startTelemetry } from '@bailiwick/process';
import type { AnyStatement, Database } from '@bailiwick/store';
import type { Attempt } from '../attempt.ts';
import { createStore, type Store } from '../store.ts';
import { startDuePublisher } from './due-publisher.ts';

const log = createLog('test', () => {});
const announcements = { onAnnounced: () => {} };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const attempt = {
  task: 'tsk_1',
  number: 1,
  first: 1,
  operation: 'Webhooks_Deliver',
  lane: 'webhook',
  event: 'evt_1',
  enqueued: new Date(0),
  isFirstPublication: false,
  extra: {},
  text: '{}',
};

before(() => startTelemetry('test', log, { OTEL_SDK_DISABLED: 'true' }));

const textOf = (statement: AnyStatement | string): string =>
  typeof statement === 'string' ? statement : statement.text;

test('a retry keeps the trace of the previous attempt, and is published in it', async () => {
  const keys = {
    seal: async (_tenant: string, plain: Buffer) => ({ dekId: 'dek_1', sealed: plain }),
    open: async () => Buffer.from('{}'),
  } as unknown as TenantKeys;
  let stored: readonly unknown[] = [];
  const database = {
    query: async () => [{ lane: 'webhook', inMs: 0 }],
    write: async (_call: Origin, _statement: AnyStatement, values: readonly unknown[]) => {
      stored = values;
      return [];
    },
    transaction: (_scope: unknown, work: (tx: unknown) => unknown) => work(tx),
  } as unknown as Database;
  const rows: unknown[] = [];
  const tx = {
    query: async (statement: AnyStatement | string) =>
      textOf(statement).startsWith('select') ? rows.splice(0) : [],
  };
  const store = createStore({ database, keys, keepsMessages: false, announce: () => {} });

  const finished = {
    attempt: { ...attempt, request: {}, tenant: '', endpoint: '', type: '' } as Attempt,
    outcome: {
      delivery: 'tsk_1',
      status: 'retry',
      statusCode: 503,
      error: 'http_status',
      message: '',
    } as const,
    plan: { state: 'waiting', dueAt: new Date(0) } as const,
    startedAt: new Date(0),
    durationMs: 1,
  };
  await continueTrace(traceparent, () => store.finish(finished));
  assert.ok(stored.includes(traceparent));

  const published: Array<{ id: string; attempt: string | undefined; traceparent: string }> = [];
  const broker = {
    isConnected: () => true,
    connections: () => 1,
    states: async () => ({ TASK: { created: new Date(0), lastSeq: 0 } }),
    oldest: async () => undefined,
    publish: async (_subject: string, _body: string, id: string, fields: Record<string, string>) =>
      published.push({
        id,
        attempt: fields[taskHeaders.attempt],
        traceparent: currentTraceparent(),
      }),
  } as unknown as Broker;
  const { task, operation, lane, event, extra } = attempt;
  rows.push({
    task,
    operation,
    lane,
    event,
    extra,
    tenant: '',
    endpoint: '',
    attempt: 2,
    firstAttempt: 1,
    dueAt: new Date(7),
    enqueuedAt: new Date(0),
    traceparent,
    dekId: 'dek_1',
    request: Buffer.from('{}'),
  });
  const stop = startDuePublisher({ database, broker, announcements, store, log }, ['webhook']);
  while (published.length === 0) await setImmediate();
  await stop();
  assert.deepEqual(published, [{ id: 'tsk_1:2:7', attempt: '2', traceparent }]);
});

test('due tasks are published between two batches of deletions', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  // Deno does not reset the timers at the end of a test.
  t.after(() => t.mock.timers.reset());
  const steps: string[] = [];
  const old = [5000, 5000, 7];
  const execute = (sql: string): unknown[] => {
    if (sql.startsWith('select')) steps.push('look');
    if (!sql.startsWith('delete from delivery_attempt')) return [];
    steps.push('delete');
    return Array.from({ length: old.shift() ?? 0 });
  };
  const tx = { query: async (statement: AnyStatement | string) => execute(textOf(statement)) };
  const database = {
    query: async () => [{ lane: 'webhook', inMs: 0 }],
    transaction: (_scope: unknown, work: (tx: unknown) => unknown) => work(tx),
  } as unknown as Database;
  const broker = {
    isConnected: () => true,
    connections: () => 1,
    states: async () => ({ TASK: { created: new Date(0), lastSeq: 0 } }),
    oldest: async () => undefined,
  } as unknown as Broker;
  const stop = startDuePublisher({ database, broker, announcements, store: {} as Store, log }, [
    'webhook',
  ]);
  t.mock.timers.tick(61_000);
  while (old.length > 0) await setImmediate();
  await stop();
  const deletions = steps.slice(steps.indexOf('delete'), steps.lastIndexOf('delete') + 1);
  assert.deepEqual(deletions.join(' '), 'delete look delete look delete');
});
