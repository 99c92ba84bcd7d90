import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Broker } from '@bailiwick/broker';
import { causedBy, type Origin } from '@bailiwick/contract';
import { continueTrace, createLog, currentTraceparent, startTelemetry } from '@bailiwick/process';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import type { AnyStatement, Database, Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { createHandover } from './handover.ts';
import { createRecorder, record, recordRefusal } from './outbox.ts';
import { startRelay } from './relay.ts';
import type { AuditDraft } from './row.ts';
import { noticeTask } from './tasks.ts';

const log = createLog('test', () => {});
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const origin = causedBy({
  operation: { name: 'Groups_Save' },
  caller: create(CallerSchema, { type: 'user', id: 'usr_1' }),
  permission: '',
});

type Row = { audit: string; traceparent: string };

/** The rows that `work` writes into the outbox. */
function rowsOf(work: (tx: Transaction) => unknown): Row[] {
  const lastRows = new Map<unknown, Row[]>();
  work({ call: origin, lastRows } as unknown as Transaction);
  return [...lastRows.values()].flat();
}

before(() => startTelemetry('test', log, { OTEL_SDK_DISABLED: 'true' }));

test('a change and a refusal record their trace, in the row and in the audit', () => {
  const rows = continueTrace(traceparent, () =>
    rowsOf((tx) => {
      record(tx, { tenant: 'tnt_1', type: 'group.created', data: {}, targets: [] }, origin);
      recordRefusal(tx, origin, {
        Tenant: 'tnt_1',
        Action: 'access.denied',
        Result: 'denied',
        Code: 'permission_denied',
        Targets: [],
      });
    }),
  );
  assert.equal(rows.length, 2);
  for (const row of rows) {
    assert.equal(row.traceparent, traceparent);
    assert.equal((JSON.parse(row.audit) as AuditDraft).TraceID, traceId);
  }
});

test('a change outside of any trace has an empty traceparent', () => {
  const [row] = rowsOf((tx) =>
    record(tx, { tenant: '', type: 'group.created', data: {}, targets: [] }, origin),
  );
  assert.equal(row?.traceparent, '');
  assert.equal((JSON.parse(row.audit) as AuditDraft).TraceID, '');
});

test('a change that is too large for a broker is rejected, except if the service itself makes it', () => {
  const change = (caller: typeof origin.caller, size: number) => {
    const Text = '"'.repeat(size);
    return () =>
      rowsOf((tx) =>
        record(
          tx,
          { tenant: '', type: 'group.updated', data: { Text }, previous: { Text }, targets: [] },
          { ...origin, caller },
        ),
      );
  };
  const system = create(CallerSchema, { type: 'service', id: 'notifications' });
  assert.doesNotThrow(change(origin.caller, 50_000));
  assert.throws(change(origin.caller, 100_000), {
    code: 'invalid_argument',
    reason: 'CHANGE_TOO_LARGE',
  });
  assert.doesNotThrow(change(system, 100_000));
});

const row = (id: string, traceparent: string) => ({
  id,
  for_tenant: '',
  type: 'a',
  event: null,
  audit: '{}',
  tasks: [noticeTask('k', 'a@b.c')],
  traceparent,
  stream_seq: null,
});

/** A connected broker whose streams have lost nothing. */
const fakeBroker = (publish: (subject: string) => Promise<unknown>) =>
  ({
    isConnected: () => true,
    connections: () => 1,
    states: async () => ({
      EVT: { created: new Date(0), lastSeq: 0 },
      TASK: { created: new Date(0), lastSeq: 0 },
    }),
    publish,
  }) as unknown as Broker;

/** A relay without a database: `execute` answers the statements of its transactions. */
function startFake(
  execute: (sql: string) => unknown[],
  publish: (subject: string) => unknown,
  pauseMs?: number,
) {
  const tx = {
    query: async (statement: AnyStatement | string) =>
      execute(typeof statement === 'string' ? statement : statement.text),
  };
  let commit = () => {};
  const database = {
    service: 'test',
    onCommit: (listener: () => void) => (commit = listener),
    query: async ({ name }: AnyStatement) => (name === 'outbox.old' ? [{}] : []),
    write: async () => [],
    transaction: (_scope: unknown, work: (tx: unknown) => unknown) => work(tx),
  } as unknown as Database;
  const broker = fakeBroker(async (subject) => publish(subject));
  return {
    ...startRelay({ database, handover: createHandover(), broker, log, intervalMs: 1, pauseMs }),
    commit,
  };
}

test('the relay publishes each row and its tasks in the trace of that row', async () => {
  const waiting = [
    row('evt_1', traceparent),
    row('evt_2', ''),
    row('evt_3', traceparent.replaceAll('b7', 'c8')),
  ];
  const published: Array<[subject: string, traceparent: string]> = [];
  // The request that wakes the relay has its own trace, which must not leak into the rows.
  await continueTrace(`00-${'9'.repeat(32)}-${'9'.repeat(16)}-01`, async () => {
    const relay = startFake(
      (sql) => (sql.startsWith('select') ? waiting.splice(0) : []),
      (subject) => published.push([subject, currentTraceparent()]),
    );
    relay.commit();
    await relay.stop();
  });
  const traces = [traceparent, '', traceparent.replaceAll('b7', 'c8')];
  assert.deepEqual(
    published,
    ['evt._.a', 'task.email.notice'].flatMap((subject) => traces.map((of) => [subject, of])),
  );
});

test('a relay with a pause publishes the first change at once, and those that follow in one batch', async () => {
  const waiting = [row('evt_1', '')];
  const batches: number[] = [];
  const relay = startFake(
    (sql) => {
      if (!sql.startsWith('select')) return [];
      const rows = waiting.splice(0);
      if (rows.length > 0) batches.push(rows.length);
      return rows;
    },
    () => 1,
    // Longer than a busy machine needs for the changes below.
    1000,
  );
  relay.commit();
  while (batches.length === 0) await setImmediate();
  for (let count = 2; count < 12; count++) {
    waiting.push(row(`evt_${count}`, ''));
    relay.commit();
    await setImmediate();
  }
  assert.deepEqual(batches, [1]);
  while (batches.length === 1) await setImmediate();
  assert.deepEqual(batches, [1, 10]);
  await relay.stop();
});

test('a relay that is stopped in its pause publishes the waiting rows', async () => {
  const waiting = [row('evt_1', '')];
  const published: string[] = [];
  const relay = startFake(
    (sql) => (sql.startsWith('select') ? waiting.splice(0, 100) : []),
    (subject) => published.push(subject),
    60_000,
  );
  while (published.length < 2) await setImmediate();
  for (let count = 2; count <= 251; count++) waiting.push(row(`evt_${count}`, ''));
  relay.commit();
  const startedAt = performance.now();
  await relay.stop();
  assert.ok(performance.now() - startedAt < 10_000);
  assert.equal(published.filter((subject) => subject === 'evt._.a').length, 251);
});

test('a relay stops although the broker does not answer', async () => {
  let isSilent = false;
  const waiting = [row('evt_1', '')];
  const relay = startFake(
    (sql) => (sql.startsWith('select') ? waiting.splice(0) : []),
    () => (isSilent ? new Promise(() => {}) : 1),
    60_000,
  );
  while (waiting.length > 0) await setImmediate();
  await setImmediate();
  isSilent = true;
  waiting.push(row('evt_2', ''));
  await relay.stop();
  assert.deepEqual(waiting, []);
});

test('publishing does not wait for the deletion of all old rows', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  t.after(() => t.mock.timers.reset());
  const steps: string[] = [];
  const old = [5000, 5000, 5000, 7];
  const relay = startFake(
    (sql) => {
      if (sql.startsWith('select')) return [{ ...row('evt_1', ''), tasks: [] }];
      if (sql.startsWith('delete')) {
        steps.push('delete');
        // Another change follows.
        relay.commit();
      }
      return sql.startsWith('delete') ? Array.from({ length: old.shift() ?? 0 }) : [];
    },
    () => steps.push('publish'),
  );
  t.mock.timers.tick(61_000);
  while (old.length > 0) await setImmediate();
  await relay.stop();
  const deletions = steps.slice(steps.indexOf('delete'), steps.lastIndexOf('delete') + 1);
  assert.deepEqual(deletions.join(' '), 'delete publish delete publish delete publish delete');
});

test('the relay publishes an event of its own process without reading it, and reads one that failed', async () => {
  const happened: string[] = [];
  let isRefused = false;
  const database = {
    service: 'test',
    onCommit: () => {},
    inCall: ({ call }: { call: Origin }, work: (call: Origin) => unknown) => work(call),
    query: async ({ name }: AnyStatement) => {
      // The statements of the loss detector are left out.
      if (name === 'outbox.old') happened.push('look');
      return [];
    },
    write: async (_call: Origin, { name }: AnyStatement) => {
      happened.push(name.replace('outbox.', ''));
      return [];
    },
    transaction: async (_scope: unknown, work: (tx: unknown) => unknown) => {
      happened.push('read');
      return work({ query: async () => [] });
    },
  } as unknown as Database;
  const broker = fakeBroker(async (subject) => {
    happened.push(subject);
    if (isRefused) throw new Error('refused');
    return 7;
  });
  const handover = createHandover();
  const recordOne = createRecorder(database, handover);
  const record = () => recordOne(origin, { tenant: '', type: 'a', data: {}, targets: [] });
  const relay = startRelay({ database, handover, broker, log });
  // The first round reads.
  while (!happened.includes('read')) await setImmediate();
  const relayOnce = async (last: string) => {
    happened.length = 0;
    await record();
    while (!happened.includes(last)) await setImmediate();
    return happened.join(' ');
  };
  // It has looked for other rows a moment ago.
  assert.equal(await relayOnce('mark_fresh'), 'insert evt._.a mark_fresh');
  isRefused = true;
  assert.equal(await relayOnce('read'), 'insert evt._.a read');
  await relay.stop();
});
