import type { Buffer } from 'node:buffer';
import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';

export type AttemptRow = {
  task: string;
  attempt: number;
  operation: string;
  tenant: string;
  endpoint: string;
  event: string;
  type: string;
  delivery: string;
  status: string;
  statusCode: number;
  error: string;
  message: string;
  durationMs: number;
  startedAt: Date;
  nextAttemptAt: Date | null;
};

export type WaitingRow = {
  task: string;
  state: 'waiting' | 'queued' | 'parked' | 'dead';
  lane: string;
  operation: string;
  tenant: string;
  endpoint: string;
  event: string;
  attempt: number;
  firstAttempt: number;
  dueAt: Date | null;
  enqueuedAt: Date;
  extra: Record<string, string>;
  traceparent: string;
  dekId: string;
  request: Buffer;
};

const attemptsDone: Statement<{ isDone: boolean }, [tasks: string[], numbers: number[]]> = {
  name: 'notifications.attempts_done',
  text: `select a.task is not null as "isDone"
         from unnest($1::text[], $2::int[]) with ordinality as asked (task, attempt, place)
         left join delivery_attempt a on a.task = asked.task and a.attempt = asked.attempt order by place`,
  across: 'the worker holds the task, whose id is unique',
};

/** Whether each of the attempts was already made, in order. */
export async function areAttemptsDone(
  database: Database,
  attempts: ReadonlyArray<{ task: string; number: number }>,
): Promise<boolean[]> {
  const rows = await database.query(attemptsDone, [
    attempts.map(({ task }) => task),
    attempts.map(({ number }) => number),
  ]);
  return rows.map(({ isDone }) => isDone);
}

const attemptColumns =
  'task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at, next_attempt_at';

/** The attempt columns that its message row stores as well. */
const messageColumns = 'task, tenant, endpoint, operation, event, type, delivery';

/** The further columns that the counts of attempts need. */
const countedColumns = `${messageColumns}, status, duration_ms, started_at`;

/** Counts the recorded attempts at endpoints. Rows are locked in the same order everywhere. */
const countAttempts = `insert into delivery_hour as h (tenant, endpoint, hour, delivered, retried, failed, total_ms, longest_ms)
      select tenant, endpoint, date_trunc('hour', started_at, 'UTC') as hour,
        count(*) filter (where status = 'delivered'), count(*) filter (where status = 'retry'), count(*) filter (where status = 'failed'),
        sum(duration_ms), max(duration_ms)
      from noted where status <> 'dropped' and (starts_with(endpoint, 'whk_') or starts_with(endpoint, 'slk_'))
      group by tenant, endpoint, hour order by tenant, endpoint, hour
      on conflict (tenant, endpoint, hour) do update set delivered = h.delivered + excluded.delivered, retried = h.retried + excluded.retried,
        failed = h.failed + excluded.failed, total_ms = h.total_ms + excluded.total_ms, longest_ms = greatest(h.longest_ms, excluded.longest_ms)`;

// Recording an attempt twice does nothing: the first time settled it. Rows are locked in the same
// order everywhere.
const settleDone: Statement<
  never,
  [attempts: string, tasks: string[], dekIds: string[], requests: Uint8Array[]]
> = {
  name: 'notifications.settle_done',
  text: `with noted as (
           insert into delivery_attempt (${attemptColumns})
           select ${attemptColumns} from jsonb_to_recordset($1) as a (task text, attempt int, operation text, tenant text, endpoint text, event text, type text,
             delivery text, status text, status_code int, error text, message text, duration_ms int, started_at timestamptz, next_attempt_at timestamptz)
           on conflict do nothing returning ${countedColumns}
         ), counted as (${countAttempts}
         ), kept as (
           insert into delivery_message (${messageColumns}, created_at, dek_id, request)
           select ${messageColumns}, now(), dek_id, request
           from noted n join unnest($2::text[], $3::text[], $4::bytea[]) as sealed (task, dek_id, request) using (task)
           where exists (select from webhook_endpoint e where e.tenant = n.tenant and e.id = n.endpoint)
              or exists (select from chat_endpoint e where e.tenant = n.tenant and e.id = n.endpoint)
           on conflict do nothing
         )
         delete from delivery_waiting where task in (
           select task from delivery_waiting where task in (select task from noted) order by task for update)`,
  between: 'each task names the tenant of its row',
};

// A late, older attempt never overwrites a newer one. An attempt that ends after its endpoint was
// deleted leaves no row: the statement waits for a concurrent delete.
const settleWaiting: Statement<
  never,
  [
    ...attempt: ReturnType<typeof valuesOf>,
    state: string,
    lane: string,
    number: number,
    firstAttempt: number,
    enqueuedAt: WaitingRow['enqueuedAt'],
    extra: string,
    dekId: string,
    request: Uint8Array,
    traceparent: string,
    isExhausted: boolean,
    isKept: boolean,
  ]
> = {
  name: 'notifications.settle_waiting',
  text: `with noted as (
      insert into delivery_attempt (${attemptColumns})
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing returning ${countedColumns}
    ), counted as (${countAttempts}
    ), endpoint as (
      select from (select from webhook_endpoint where tenant = $4 and id = $5 for key share) as webhook
      union all select from (select from chat_endpoint where tenant = $4 and id = $5 for key share) as chat
    ), kept as (
      insert into delivery_message (${messageColumns}, created_at, dek_id, request)
      select ${messageColumns}, now(), $22, $23 from noted where $26 and exists (select from endpoint) on conflict do nothing
    ), exhausted as (
      insert into endpoint_health as h (tenant, endpoint, failing_since, exhausted_at)
      select $4, $5, now(), now() from noted where $25 and exists (select from endpoint)
      on conflict (tenant, endpoint) do update set failing_since = coalesce(h.failing_since, now()), exhausted_at = now()
    )
    insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt, due_at, queued_at, enqueued_at, extra, dek_id, request, traceparent)
    select task, $16, $17, $3, $4, $5, $6, $18, $19, $15, null, $20, $21, $22, $23, $24 from noted
    where $16 <> 'dead' or $5 = '' or exists (select from endpoint)
    on conflict (task) do update set state = excluded.state, attempt = excluded.attempt, due_at = excluded.due_at, queued_at = null, traceparent = excluded.traceparent
    where delivery_waiting.attempt <= excluded.attempt`,
  between: 'the worker holds the task, whose id is unique',
};

export type SealedRequest = { dekId: string; request: Buffer };

/** Records attempts and completes their tasks. With `sealedRequest`, the request is stored too. */
export async function settleAsDone(
  database: Database,
  call: Origin,
  attempts: ReadonlyArray<AttemptRow & { sealedRequest?: SealedRequest | undefined }>,
): Promise<void> {
  const messages = attempts.flatMap(({ task, sealedRequest }) =>
    sealedRequest ? [{ task, ...sealedRequest }] : [],
  );
  const rows = attempts.map((row) => ({
    ...row,
    sealedRequest: undefined,
    status_code: row.statusCode,
    duration_ms: row.durationMs,
    started_at: row.startedAt,
    next_attempt_at: row.nextAttemptAt,
  }));
  // The same order everywhere, so that two processes that settle the same attempts cannot deadlock.
  rows.sort((one, other) => (one.task < other.task ? -1 : 1));
  await database.write(call, settleDone, [
    JSON.stringify(rows),
    messages.map(({ task }) => task),
    messages.map(({ dekId }) => dekId),
    messages.map(({ request }) => request),
  ]);
}

/** Side effects of an attempt: its endpoint used up the schedule, or the sent request is kept. */
export type Consequences = { isExhausted: boolean; isKept: boolean };

/** Records an attempt whose task waits for the next one or is dead-lettered. */
export async function settleAsWaiting(
  database: Database,
  call: Origin,
  attempt: AttemptRow,
  row: WaitingRow,
  { isExhausted, isKept }: Consequences,
): Promise<void> {
  await database.write(call, settleWaiting, [
    ...valuesOf(attempt),
    row.state,
    row.lane,
    row.attempt,
    row.firstAttempt,
    row.enqueuedAt,
    JSON.stringify(row.extra),
    row.dekId,
    row.request,
    row.traceparent,
    isExhausted,
    isKept,
  ]);
}

// A task that another process has settled meanwhile does not wait again.
const defer: Statement<
  never,
  [
    task: string,
    lane: string,
    operation: string,
    tenant: string,
    endpoint: string,
    event: string,
    attempt: number,
    firstAttempt: number,
    dueAt: Date | null,
    enqueuedAt: Date,
    extra: string,
    dekId: string,
    request: Uint8Array,
    traceparent: string,
  ]
> = {
  name: 'notifications.defer',
  text: `insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt, due_at, enqueued_at, extra, dek_id, request, traceparent)
    select $1, 'waiting', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
    where not exists (select from delivery_attempt where task = $1 and attempt = $7)
    on conflict (task) do update set state = 'waiting', due_at = excluded.due_at, queued_at = null, extra = excluded.extra
    where delivery_waiting.attempt = excluded.attempt and delivery_waiting.state in ('waiting', 'queued')`,
  between: 'the worker holds the task, whose id is unique',
};

/** Stores an attempt that was not made, to wait until it is due. */
export async function deferTask(
  database: Database,
  call: Origin,
  row: Omit<WaitingRow, 'state'>,
): Promise<void> {
  await database.write(call, defer, [
    row.task,
    row.lane,
    row.operation,
    row.tenant,
    row.endpoint,
    row.event,
    row.attempt,
    row.firstAttempt,
    row.dueAt,
    row.enqueuedAt,
    JSON.stringify(row.extra),
    row.dekId,
    row.request,
    row.traceparent,
  ]);
}

/** The values of attemptColumns. */
const valuesOf = (row: AttemptRow) =>
  [
    row.task,
    row.attempt,
    row.operation,
    row.tenant,
    row.endpoint,
    row.event,
    row.type,
    row.delivery,
    row.status,
    row.statusCode,
    row.error,
    row.message,
    row.durationMs,
    row.startedAt,
    row.nextAttemptAt,
  ] as const;

/** Maximum rows per statement: the database cancels long statements. */
const batch = 5000;

async function inBatches(
  tx: Transaction,
  sql: string,
  values: readonly unknown[],
): Promise<number> {
  for (let count = 0; ; ) {
    const { length } = await tx.query(sql, [...values, batch]);
    count += length;
    if (length < batch) return count;
  }
}

/** Deletes an endpoint's waiting tasks, dead letters included. */
export async function deleteWaiting(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await inBatches(
    tx,
    `delete from delivery_waiting where task in (
       select task from delivery_waiting where tenant = $1 and endpoint = $2 order by task limit $3 for update) returning 1`,
    [tenant, endpoint],
  );
}

/**
 * Replays an endpoint's dead letters of tasks enqueued within a period, each with a fresh retry
 * schedule. Returns their number.
 */
export function replayDead(
  tx: Transaction,
  tenant: string,
  endpoint: string,
  within: { since: Date; until: Date },
): Promise<number> {
  return inBatches(
    tx,
    `update delivery_waiting set state = 'waiting', lane = 'replay', attempt = attempt + 1, first_attempt = attempt + 1, due_at = now(), queued_at = null
     where task in (
       select task from delivery_waiting where tenant = $1 and endpoint = $2 and state = 'dead' and enqueued_at >= $3 and enqueued_at < $4
       order by task limit $5 for update) returning 1`,
    [tenant, endpoint, within.since, within.until],
  );
}
