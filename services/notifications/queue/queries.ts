import type { Buffer } from 'node:buffer';
import {
  type Database,
  type EntityManager,
  execute,
  type Statement,
} from '@bailiwick/shared/orm.ts';

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

const attemptsDone: Statement = {
  name: 'notifications.attempts_done',
  text: `select a.task is not null as "isDone"
         from unnest($1::text[], $2::int[]) with ordinality as asked (task, attempt, place)
         left join delivery_attempt a on a.task = asked.task and a.attempt = asked.attempt order by place`,
};

/** Of attempts, whether each has been made already, in order. */
export async function areAttemptsDone(
  database: Database,
  attempts: ReadonlyArray<{ task: string; number: number }>,
): Promise<boolean[]> {
  const values = [attempts.map(({ task }) => task), attempts.map(({ number }) => number)];
  const rows = await database.query<{ isDone: boolean }>(attemptsDone, values);
  return rows.map(({ isDone }) => isDone);
}

const attemptColumns =
  'task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at, next_attempt_at';

/** The columns of an attempt that its message keeps. */
const messageColumns = 'task, tenant, endpoint, operation, event, type, delivery';

// What is noted twice was settled the first time: both statements then do nothing. Rows are locked in the order in which all do it.
const settleDone: Statement = {
  name: 'notifications.settle_done',
  text: `with noted as (
           insert into delivery_attempt (${attemptColumns})
           select ${attemptColumns} from jsonb_to_recordset($1) as a (task text, attempt int, operation text, tenant text, endpoint text, event text, type text,
             delivery text, status text, status_code int, error text, message text, duration_ms int, started_at timestamptz, next_attempt_at timestamptz)
           on conflict do nothing returning ${messageColumns}
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
};

// An older attempt that comes in late never overwrites a newer one. What ends after its endpoint was deleted leaves nothing behind:
// whoever deletes it at the same moment is waited for.
const settleWaiting: Statement = {
  name: 'notifications.settle_waiting',
  text: `with noted as (
      insert into delivery_attempt (${attemptColumns})
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing returning ${messageColumns}
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
};

/** A sealed request. */
export type SealedRequest = { dekId: string; request: Buffer };

/** Notes attempts, and that nothing is left to do for their tasks. With `sent`, what was sent is kept. */
export async function settleAsDone(
  database: Database,
  attempts: ReadonlyArray<AttemptRow & { sent?: SealedRequest | undefined }>,
): Promise<void> {
  const messages = attempts.flatMap(({ task, sent }) => (sent ? [{ task, ...sent }] : []));
  const rows = attempts.map((row) => ({
    ...row,
    sent: undefined,
    status_code: row.statusCode,
    duration_ms: row.durationMs,
    started_at: row.startedAt,
    next_attempt_at: row.nextAttemptAt,
  }));
  // In one order everywhere: two processes that settle the same attempts wait for each other and not both ways.
  rows.sort((one, other) => (one.task < other.task ? -1 : 1));
  const sealed = [
    messages.map(({ task }) => task),
    messages.map(({ dekId }) => dekId),
    messages.map(({ request }) => request),
  ];
  await database.query(settleDone, [JSON.stringify(rows), ...sealed]);
}

/** What else an attempt brings about: its endpoint has failed to the end, and what was sent is kept. */
export type Consequences = { isExhausted: boolean; isKept: boolean };

/** Notes an attempt, and that its task waits for another or is dead. */
export async function settleAsWaiting(
  database: Database,
  attempt: AttemptRow,
  row: WaitingRow,
  { isExhausted, isKept }: Consequences,
): Promise<void> {
  const values = [
    row.state,
    row.lane,
    row.attempt,
    row.firstAttempt,
    row.enqueuedAt,
    JSON.stringify(row.extra),
    row.dekId,
    row.request,
    row.traceparent,
  ];
  await database.query(settleWaiting, [...valuesOf(attempt), ...values, isExhausted, isKept]);
}

// What another process has settled meanwhile does not wait again.
const defer: Statement = {
  name: 'notifications.defer',
  text: `insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt, due_at, enqueued_at, extra, dek_id, request, traceparent)
    select $1, 'waiting', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
    where not exists (select from delivery_attempt where task = $1 and attempt = $7)
    on conflict (task) do update set state = 'waiting', due_at = excluded.due_at, queued_at = null, extra = excluded.extra
    where delivery_waiting.attempt = excluded.attempt and delivery_waiting.state in ('waiting', 'queued')`,
};

/** Has an attempt that was not made wait until it is due. */
export async function deferTask(database: Database, row: Omit<WaitingRow, 'state'>): Promise<void> {
  const {
    task,
    lane,
    operation,
    tenant,
    endpoint,
    event,
    attempt,
    firstAttempt,
    dueAt,
    enqueuedAt,
    extra,
    dekId,
    request,
    traceparent,
  } = row;
  const about = [
    task,
    lane,
    operation,
    tenant,
    endpoint,
    event,
    attempt,
    firstAttempt,
    dueAt,
    enqueuedAt,
  ];
  await database.query(defer, [...about, JSON.stringify(extra), dekId, request, traceparent]);
}

function valuesOf(row: AttemptRow): unknown[] {
  const {
    task,
    attempt,
    operation,
    tenant,
    endpoint,
    event,
    type,
    delivery,
    status,
    statusCode,
    error,
    message,
    durationMs,
    startedAt,
    nextAttemptAt,
  } = row;
  return [
    task,
    attempt,
    operation,
    tenant,
    endpoint,
    event,
    type,
    delivery,
    status,
    statusCode,
    error,
    message,
    durationMs,
    startedAt,
    nextAttemptAt,
  ];
}

/** Takes tasks of a lane that are due. The rows stay locked until the transaction ends. */
export function takeDue(em: EntityManager, lane: string, limit: number): Promise<WaitingRow[]> {
  return execute<WaitingRow>(
    em,
    `select task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt as "firstAttempt", due_at as "dueAt",
       enqueued_at as "enqueuedAt", extra, traceparent, dek_id as "dekId", request
     from delivery_waiting
     where lane = $1 and state = 'waiting' and due_at <= now() order by due_at limit $2 for update skip locked`,
    [lane, limit],
  );
}

export async function markQueued(em: EntityManager, tasks: readonly string[]): Promise<void> {
  await execute(
    em,
    "update delivery_waiting set state = 'queued', queued_at = now() where task = any($1)",
    [tasks],
  );
}

/** Has what was handed to the broker before that time wait again, at once: so many of a lane at most. Returns how many it were. */
export async function requeue(
  em: EntityManager,
  lane: string,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await execute(
    em,
    `update delivery_waiting set state = 'waiting' where task in (
       select task from delivery_waiting where lane = $1 and state = 'queued' and queued_at < $2 order by queued_at limit $3 for update skip locked)
     returning 1`,
    [lane, before, limit],
  );
  return rows.length;
}

/** Puts a row off that cannot be published, so that it does not stand in the way of the others. */
export async function postpone(em: EntityManager, task: string): Promise<void> {
  await execute(
    em,
    "update delivery_waiting set due_at = now() + interval '1 minute', state = 'waiting' where task = $1",
    [task],
  );
}

const overdue: Statement = {
  name: 'notifications.overdue',
  text: `select lane, extract(epoch from now() - min(due_at))::float8 as age from delivery_waiting
         where state = 'waiting' and due_at <= now() group by lane`,
};

/** The lanes in which a waiting task should have been published, and for how many seconds. */
export const listOverdue = (database: Database): Promise<Array<{ lane: string; age: number }>> =>
  database.query(overdue, []);

const dead: Statement = {
  name: 'notifications.dead_letters',
  text: "select count(*)::int as count from delivery_waiting where state = 'dead'",
};

export async function countDeadLetters(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(dead, []);
  return row?.count ?? 0;
}

/** Forgets attempts and dead letters older than 30 days, a batch at a time. Returns how many went. */
export async function deleteOld(em: EntityManager, limit: number): Promise<number> {
  const attempts = await execute(
    em,
    `delete from delivery_attempt where (task, attempt) in
       (select task, attempt from delivery_attempt where started_at < now() - interval '30 days' limit $1) returning 1`,
    [limit],
  );
  const dead = await execute(
    em,
    `delete from delivery_waiting where task in
       (select task from delivery_waiting where state = 'dead' and enqueued_at < now() - interval '30 days' order by task limit $1 for update skip locked) returning 1`,
    [limit],
  );
  return Math.max(attempts.length, dead.length);
}

/** So many rows one statement changes at most: the database ends those that take too long. */
const batch = 5000;

async function inBatches(
  em: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<number> {
  for (let count = 0; ; ) {
    const { length } = await execute(em, sql, [...values, batch]);
    count += length;
    if (length < batch) return count;
  }
}

/** Forgets what waits to be delivered to an endpoint, dead letters included. */
export async function deleteWaiting(
  em: EntityManager,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await inBatches(
    em,
    `delete from delivery_waiting where task in (
       select task from delivery_waiting where tenant = $1 and endpoint = $2 order by task limit $3 for update) returning 1`,
    [tenant, endpoint],
  );
}

/**
 * Sends an endpoint's dead letters once more, those of tasks that came to be within a time, with the whole schedule before them.
 * Returns how many.
 */
export function replayDead(
  em: EntityManager,
  tenant: string,
  endpoint: string,
  within: { since: Date; until: Date },
): Promise<number> {
  return inBatches(
    em,
    `update delivery_waiting set state = 'waiting', lane = 'replay', attempt = attempt + 1, first_attempt = attempt + 1, due_at = now(), queued_at = null
     where task in (
       select task from delivery_waiting where tenant = $1 and endpoint = $2 and state = 'dead' and enqueued_at >= $3 and enqueued_at < $4
       order by task limit $5 for update) returning 1`,
    [tenant, endpoint, within.since, within.until],
  );
}
