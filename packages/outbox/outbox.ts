import { createBatch, type Origin, type RightsKey, serviceOrigin } from '@bailiwick/contract';
import {
  type Database,
  onPool,
  type Run,
  type Transaction,
  takeRevoked,
  writeLast,
} from '@bailiwick/store';
import { defineEntity, p } from '@mikro-orm/core';
import { cacheKeysOf } from './cache-keys.ts';
import type { FreshRow, Handover } from './handover.ts';
import { insertRecords, insertRows, type RowValues } from './queries.ts';
import { type Change, type RecordOrigin, type Refusal, refusalRow, rowOf } from './row.ts';
import type { Task } from './tasks.ts';

// The transactional outbox. Every change writes one row in its own transaction: the event, the
// audit entry and the tasks that follow from it. A relay (relay.ts) publishes the rows to the
// broker, so that neither a crash nor an outage of the broker loses one. It is a transport buffer:
// no operation reads it as history, except Webhooks_ExplainDelivery, for a day.

/** A row of the outbox. */
export const OutboxEntity = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    id: p.string().primary().columnType('text'),
    // Not named "tenant": rows are not tenant-scoped, since the relay works for all tenants.
    forTenant: p.text(),
    type: p.text(),
    event: p.text().nullable(),
    audit: p.text(),
    tasks: p.json<Task[]>(),
    /**
     * The change's trace, as a W3C traceparent. Everything that follows from the change continues
     * it.
     */
    traceparent: p.text().default(''),
    createdAt: p.datetime(3),
    publishedAt: p.datetime(3).nullable(),
    streamSeq: p.bigint('number').nullable(),
  },
  indexes: [
    { name: 'outbox_waiting', properties: ['id'], where: 'published_at is null' },
    { name: 'outbox_published', properties: ['publishedAt'], where: 'published_at is not null' },
  ],
});

/** The table, for the first migration of each service that has an outbox. */
export const outboxTable = `
  create table outbox (
    id text primary key,
    for_tenant text not null,
    type text not null,
    event text,
    audit text not null,
    tasks jsonb not null,
    traceparent text not null default '',
    created_at timestamptz(3) not null,
    published_at timestamptz(3),
    stream_seq bigint
  );
  create index outbox_waiting on outbox (id) where published_at is null;
  create index outbox_published on outbox (published_at) where published_at is not null;`;

/**
 * Writes the outbox row of a change in its transaction, and revokes the keys of the caches that the
 * change invalidates (cache-keys.ts). Returns the event's id. `origin`: whose change it is, if not
 * the call's own.
 */
export function record(tx: Transaction, change: Change, origin: RecordOrigin = tx.call): string {
  const written = rowOf(inRequest(origin, tx), change);
  recordRevocation(tx, cacheKeysOf(change));
  if ((change.code ?? '') === '') tx.isChanged = true;
  writeLast(tx, insertRecorded, written);
  tx.isRecorded = true;
  return written.id;
}

/**
 * Revokes keys: the transaction writes them to the log of revocations, and the reply of its call
 * waits for the caches. For changes that have no event in their service; `record` does it for others.
 */
export function recordRevocation(tx: Transaction, keys: readonly RightsKey[]): void {
  for (const key of keys) {
    tx.revokes.add(key);
    tx.call.invalidates?.add(key);
  }
}

/** A service's own change is a part of the request that it follows from. */
const inRequest = ({ operation, caller, permission }: RecordOrigin, { call }: Transaction) => ({
  operation,
  permission,
  caller: { ...caller, requestId: caller.requestId || call.caller.requestId },
});

/** Under load, a statement every few milliseconds serves more changes, with one flush to disk. */
const oneAtATime = { atOnce: 1, restMs: 2 };

/** The outbox row of a change that consists of its event alone. */
export type OutboxRow = ReturnType<typeof changeRow>;

/** The values of `insertText`. */
export const valuesOf = (rows: readonly OutboxRow[]): RowValues => [
  rows.map(({ id }) => id),
  rows.map(({ forTenant }) => forTenant),
  rows.map(({ type }) => type),
  rows.map(({ event }) => event),
  rows.map(({ audit }) => audit),
  rows.map(({ traceparent }) => traceparent),
  rows.map(({ createdAt }) => createdAt),
];

/** Inserts the rows of a transaction, which may have tasks, and the keys that it revokes. */
const insertRecorded = (tx: Transaction, rows: readonly OutboxRow[]): Promise<unknown> => {
  const tasks = rows.map((row) => JSON.stringify(row.tasks));
  return tx.query(insertRecords, [...valuesOf(rows), tasks, takeRevoked(tx)]);
};

/** Inserts rows and returns them for the relay of this process. */
export type InsertRows = (run: Run, rows: readonly OutboxRow[]) => Promise<readonly FreshRow[]>;

const insertAll: InsertRows = async (run, rows) => {
  await run(insertRows, valuesOf(rows));
  return rows;
};

/**
 * Records changes that consist of their event alone. Those that are recorded at the same time share
 * one statement, and one flush to disk.
 */
export function createRecorder(database: Database, handover: Handover, insert = insertAll) {
  const insertTogether = createBatch(async (rows: readonly OutboxRow[]) => {
    // The statement is a part of several calls: each has asked its own guard.
    handover.add(await insert(onPool(database, serviceOrigin(database.service)), rows));
    return rows;
  }, oneAtATime);
  return async (call: Origin, change: Omit<Change, 'tasks'>): Promise<string> => {
    const { tenant } = change;
    // The claim of an Idempotency-Key, and the keys of caches, are written in the same transaction.
    if (call.mark || cacheKeysOf(change).length > 0)
      return database.transaction({ call, tenant }, (tx) => Promise.resolve(record(tx, change)));
    return database.inCall({ call, tenant }, async ({ guard }) => {
      const leave = await guard?.enter(tenant);
      try {
        return (await insertTogether(changeRow(call, change))).id;
      } finally {
        leave?.();
      }
    });
  };
}

/**
 * Writes the rows of changes that consist of their events alone in a transaction of their call, with
 * one statement. Pass the result to the handover after the commit.
 */
export async function recordRows(
  tx: Transaction,
  rows: readonly OutboxRow[],
  insert = insertAll,
): Promise<readonly FreshRow[]> {
  if (rows.length === 0) return [];
  const freshRows = await insert(tx.query, rows);
  tx.isChanged = true;
  return freshRows;
}

/**
 * The outbox row of a change, for a statement that inserts it together with the change. A call with
 * an Idempotency-Key needs a transaction with `record` instead, which marks the call. @throws for a
 * change that revokes keys, which needs `record` too
 */
export function changeRow(call: Origin, change: Change) {
  if (cacheKeysOf(change).length > 0)
    throw new Error(`${change.type} must be recorded: it revokes`);
  return rowOf(call, change);
}

/**
 * Writes the audit entry of a denied or failed call, or of several like it. There is no event,
 * since nothing changed.
 */
export function recordRefusal(
  tx: Transaction,
  origin: RecordOrigin,
  refusal: Refusal,
  times = 1,
): void {
  const written = refusalRow(inRequest(origin, tx), refusal, times);
  writeLast(tx, insertRecorded, written);
  tx.isRecorded = true;
}
