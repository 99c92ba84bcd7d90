import { Buffer } from 'node:buffer';
import {
  type Caller,
  createBatch,
  createId,
  grantOf,
  type Origin,
  serviceOrigin,
} from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import { currentTraceId, currentTraceparent } from '@bailiwick/process';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import { defineEntity, p } from '@mikro-orm/core';
import { cacheKeysOf } from './cache-keys.ts';
import type { Handover } from './handover.ts';
import type { Task } from './tasks.ts';

// The transactional outbox. Every change writes one row in its own transaction: the event, the
// audit entry and the tasks that follow from it. A relay (relay.ts) publishes the rows to the
// broker, so that neither a crash nor an outage of the broker loses one. It is a transport buffer:
// no operation reads it as history.

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

/** A record that a change or a refused call names. */
export type Target = { Type: string; ID: string; Name: string };
type FieldChange = { Field: string; Old: unknown; New: unknown };

/** A change of state, described by the handler that makes it. */
export type Change = {
  /** "" for changes outside of tenants: accounts, the platform. */
  tenant: string;
  /** The event's type, which is also the audit action, e.g. `group.created`. */
  type: string;
  /**
   * The record as the API returns it (documented JSON), or the text of a JSON object, which is
   * passed on unchanged. null = audit only, no event.
   */
  data: Record<string, unknown> | string | null;
  /** The old values of the changed fields. */
  previous?: Record<string, unknown>;
  /** For a failed attempt that is still announced: the error code. */
  code?: string;
  targets: readonly Target[];
  tasks?: readonly Task[];
};

/** The audit entry for the projector, which adds its position in the tenant's chain. */
export type AuditDraft = {
  ID: string;
  Tenant: string;
  OccurredAt: string;
  Action: string;
  Operation: string;
  Result: 'success' | 'denied' | 'failed';
  Code: string;
  ActorType: string;
  ActorID: string;
  CredentialID: string;
  Targets: readonly Target[];
  Permission: string;
  GrantID: string;
  IP: string;
  UserAgent: string;
  RequestID: string;
  TraceID: string;
  Changes: readonly FieldChange[];
};

/** A message of the event stream. `event` is the body that receivers get, byte for byte. */
export type StreamMessage = { event: string | null; audit: AuditDraft };

export const streamMessage = (event: string | null, audit: string): string =>
  `{"event":${JSON.stringify(event)},"audit":${audit}}`;

/**
 * Limit of a change. A task with its event is a third larger (base64), and brokers accept 1 MiB by
 * default.
 */
const maxChangeKiB = 720;

/**
/**
 * Writes the outbox row of a change in its transaction, and adds the keys of the caches that the
 * change invalidates (cache-keys.ts) to those of the call. Returns the event's id. `origin`: whose
 * change it is, if not the call's own.
 */
export function record(tx: Transaction, change: Change, origin: RecordOrigin = tx.call): string {
  const written = rowOf(inRequest(origin, tx), change);
  invalidate(tx.call, change);
  if ((change.code ?? '') === '') tx.isChanged = true;
  tx.em.persist(tx.em.create(OutboxEntity, written));
  tx.isRecorded = true;
  return written.id;
}

/** Adds the keys of the caches that a change invalidates. */
function invalidate({ invalidates }: Pick<Origin, 'invalidates'>, change: Change): void {
  for (const key of cacheKeysOf(change)) invalidates?.add(key);
}

/** Who and what the record of a change names. */
export type RecordOrigin = Pick<Origin, 'operation' | 'caller' | 'permission'>;

/** A service's own change is a part of the request that it follows from. */
const inRequest = ({ operation, caller, permission }: RecordOrigin, { call }: Transaction) => ({
  operation,
  permission,
  caller: { ...caller, requestId: caller.requestId || call.caller.requestId },
});

const insertRows: Statement<
  never,
  [
    ids: string[],
    forTenants: string[],
    types: string[],
    events: Array<string | null>,
    audits: Array<string | null>,
    traceparents: string[],
    createdAt: Date[],
  ]
> = {
  name: 'outbox.insert',
  text: `insert into outbox (id, for_tenant, type, event, audit, tasks, traceparent, created_at)
         select id, for_tenant, type, event, audit, '[]', traceparent, created_at
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
           as row (id, for_tenant, type, event, audit, traceparent, created_at)`,
};

/** Under load, a statement every few milliseconds serves more changes, with one flush to disk. */
const oneAtATime = { atOnce: 1, restMs: 2 };

type OutboxRow = ReturnType<typeof changeRow>;

/**
 * Records changes that consist of their event alone. Those that are recorded at the same time share
 * one statement, and one flush to disk.
 */
export function createRecorder(database: Database, handover: Handover) {
  const insert = createBatch(async (rows: readonly OutboxRow[]) => {
    // The statement is a part of several calls: each has asked its own guard.
    await database.write(serviceOrigin(database.service), insertRows, [
      rows.map(({ id }) => id),
      rows.map(({ forTenant }) => forTenant),
      rows.map(({ type }) => type),
      rows.map(({ event }) => event),
      rows.map(({ audit }) => audit),
      rows.map(({ traceparent }) => traceparent),
      rows.map(({ createdAt }) => createdAt),
    ]);
    handover.add(rows);
    return rows;
  }, oneAtATime);
  return async (call: Origin, change: Omit<Change, 'tasks'>): Promise<string> => {
    const { tenant } = change;
    // The claim of an Idempotency-Key is marked in the same transaction.
    if (call.mark)
      return database.transaction({ call, tenant }, (tx) => Promise.resolve(record(tx, change)));
    return database.inCall({ call, tenant }, async ({ guard }) => {
      const leave = await guard?.enter(tenant);
      try {
        return (await insert(changeRow(call, change))).id;
      } finally {
        leave?.();
      }
    });
  };
}

/**
/**
 * The outbox row of a change, for a statement that inserts it together with the change. It adds the
 * keys of the caches that the change invalidates, like `record`. A call with an Idempotency-Key needs
 * a transaction with `record` instead, which marks the call.
 */
export function changeRow(call: Origin, change: Change) {
  invalidate(call, change);
  return rowOf(call, change);
}

function rowOf(origin: RecordOrigin, change: Change) {
  const id = createId('evt');
  const now = new Date();
  const { data, code = '' } = change;
  const event = data === null ? null : eventBody(origin, { ...change, data, id, at: now });
  const audit = draft(origin, now, {
    Tenant: change.tenant,
    Action: change.type,
    Result: code === '' ? 'success' : 'failed',
    Code: code,
    GrantID: grantOf(origin.caller, origin.permission),
    Targets: change.targets,
    Changes: Object.entries(change.previous ?? {}).map(([Field, Old]) => ({
      Field,
      Old,
      New: (typeof data === 'object' ? data?.[Field] : undefined) ?? null,
    })),
  });
  const written = row(id, now, audit);
  // A service's own changes are never rejected: the relay skips rows that the broker rejects.
  if (
    audit.ActorType !== 'system' &&
    Buffer.byteLength(streamMessage(event, written.audit)) > maxChangeKiB * 1024
  )
    throw invalid(
      `the event of this change, with old and new values, would be larger than ${maxChangeKiB} KiB`,
      'CHANGE_TOO_LARGE',
      { Limit: `${maxChangeKiB} KiB` },
    );
  return { ...written, type: change.type, event, tasks: [...(change.tasks ?? [])] };
}

type EventBody = Pick<Change, 'tenant' | 'type' | 'previous'> & {
  id: string;
  at: Date;
  data: Record<string, unknown> | string;
};

/**
 * The body of an event, as receivers get it. Data that is text stays byte for byte, since
 * re-encoding could alter it.
 */
export function eventBody(
  { caller }: Pick<Origin, 'caller'>,
  { id, type, at, tenant, data, previous = {} }: EventBody,
): string {
  const { operator } = caller;
  const actor = {
    type: actorType(caller),
    id: caller.id,
    // An operator acts as this user.
    ...(operator !== '' && { operator }),
  };
  const head = JSON.stringify({
    id,
    type,
    timestamp: at.toISOString(),
    tenant,
    actor,
    apiVersion: '1.0.0',
  });
  return `${head.slice(0, -1)},"data":${typeof data === 'string' ? data : JSON.stringify(data)},"previous":${JSON.stringify(previous)}}`;
}

/** A denied or failed call, for the audit. */
export type Refusal = Pick<AuditDraft, 'Tenant' | 'Action' | 'Result' | 'Code' | 'Targets'> & {
  /** Why, for readers of the audit. Absent if the code says it. */
  Reason?: string;
};

/**
 * Writes the audit entry of a denied or failed call, or of several like it. There is no event,
 * since nothing changed.
 */
export function recordRefusal(
  tx: Transaction,
  origin: RecordOrigin,
  { Reason, ...refusal }: Refusal,
  times = 1,
): void {
  const now = new Date();
  const details = { ...(Reason && { Reason }), ...(times > 1 && { Times: times }) };
  // No grant allowed it.
  const audit = draft(inRequest(origin, tx), now, {
    ...refusal,
    GrantID: '',
    Changes: Object.entries(details).map(([Field, New]) => ({ Field, Old: null, New })),
  });
  tx.em.persist(tx.em.create(OutboxEntity, row(createId('evt'), now, audit)));
  tx.isRecorded = true;
}

function row(id: string, createdAt: Date, audit: AuditDraft) {
  const waiting = { createdAt, publishedAt: null, streamSeq: null };
  return {
    id,
    forTenant: audit.Tenant,
    type: '',
    event: null,
    audit: JSON.stringify(audit),
    tasks: [],
    traceparent: currentTraceparent(),
    ...waiting,
  };
}

type Outcome = Pick<
  AuditDraft,
  'Tenant' | 'Action' | 'Result' | 'Code' | 'Targets' | 'Changes' | 'GrantID'
>;

function draft(
  { operation, caller, permission }: RecordOrigin,
  now: Date,
  outcome: Outcome,
): AuditDraft {
  return {
    ID: createId('aud'),
    OccurredAt: now.toISOString(),
    Operation: operation.name,
    ActorType: actorType(caller),
    ActorID: caller.id,
    CredentialID: caller.credentialId,
    Permission: permission,
    IP: caller.ip,
    UserAgent: caller.userAgent,
    RequestID: caller.requestId,
    TraceID: currentTraceId(),
    ...outcome,
    Targets: [...outcome.Targets, ...operatorOf(caller)],
  };
}

/**
 * The operator who acts as the caller, as the last target: there the hash of the entry covers it,
 * and a filter by target finds it.
 */
const operatorOf = ({ operator }: Caller): Target[] =>
  operator === '' ? [] : [{ Type: 'operator', ID: operator, Name: '' }];

const actorType = (caller: Caller) =>
  caller.type === 'service' || caller.type === 'worker' ? 'system' : caller.type;
