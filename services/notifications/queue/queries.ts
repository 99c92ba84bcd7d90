import type { Buffer } from 'node:buffer';
import { type Database, type EntityManager, execute, type Statement } from '@bailiwick/shared/orm.ts';

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
  state: 'waiting' | 'queued' | 'dead';
  lane: string;
  operation: string;
  tenant: string;
  endpoint: string;
  event: string;
  attempt: number;
  dueAt: Date | null;
  enqueuedAt: Date;
  extra: Record<string, string>;
  traceparent: string;
  dekId: string;
  request: Buffer;
};

const attemptDone: Statement = { name: 'notifications.attempt_done', text: 'select 1 from delivery_attempt where task = $1 and attempt = $2' };

export async function isAttemptDone(database: Database, task: string, attempt: number): Promise<boolean> {
  const rows = await database.query(attemptDone, [task, attempt]);
  return rows.length > 0;
}

// What is noted twice was settled the first time: both statements then do nothing.
const noteAttempt = `
  with noted as (
    insert into delivery_attempt (task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at, next_attempt_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing returning task
  )`;

const settleDone: Statement = {
  name: 'notifications.settle_done',
  text: `${noteAttempt} delete from delivery_waiting where task in (select task from noted)`,
};

// An older attempt that comes in late never overwrites a newer one.
const settleWaiting: Statement = {
  name: 'notifications.settle_waiting',
  text: `${noteAttempt}
    insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, due_at, queued_at, enqueued_at, extra, dek_id, request, traceparent)
    select task, $16, $17, $3, $4, $5, $6, $18, $15, null, $19, $20, $21, $22, $23 from noted
    on conflict (task) do update set state = excluded.state, attempt = excluded.attempt, due_at = excluded.due_at, queued_at = null, traceparent = excluded.traceparent
    where delivery_waiting.attempt <= excluded.attempt`,
};

/** Notes an attempt, and that nothing is left to do for its task. */
export async function settleAsDone(database: Database, attempt: AttemptRow): Promise<void> {
  await database.query(settleDone, valuesOf(attempt));
}

/** Notes an attempt, and that its task waits for another or is dead. */
export async function settleAsWaiting(database: Database, attempt: AttemptRow, row: WaitingRow): Promise<void> {
  const values = [row.state, row.lane, row.attempt, row.enqueuedAt, JSON.stringify(row.extra), row.dekId, row.request, row.traceparent];
  await database.query(settleWaiting, [...valuesOf(attempt), ...values]);
}

function valuesOf(row: AttemptRow): unknown[] {
  const { task, attempt, operation, tenant, endpoint, event, type, delivery, status, statusCode, error, message, durationMs, startedAt, nextAttemptAt } = row;
  return [task, attempt, operation, tenant, endpoint, event, type, delivery, status, statusCode, error, message, durationMs, startedAt, nextAttemptAt];
}

/**
 * Takes tasks that are due, and those that the broker was given a while ago and that never came back: it may
 * have lost its store. The rows stay locked until the transaction ends.
 */
export function takeDue(em: EntityManager, lane: string, limit: number): Promise<WaitingRow[]> {
  return execute<WaitingRow>(
    em,
    `select task, state, lane, operation, tenant, endpoint, event, attempt, due_at as "dueAt", enqueued_at as "enqueuedAt", extra, traceparent, dek_id as "dekId", request
     from delivery_waiting
     where lane = $1 and ((state = 'waiting' and due_at <= now()) or (state = 'queued' and queued_at < now() - interval '15 minutes'))
     order by due_at limit $2 for update skip locked`,
    [lane, limit],
  );
}

export async function markQueued(em: EntityManager, task: string): Promise<void> {
  await execute(em, "update delivery_waiting set state = 'queued', queued_at = now() where task = $1", [task]);
}

/** Puts a row off that cannot be published, so that it does not stand in the way of the others. */
export async function postpone(em: EntityManager, task: string): Promise<void> {
  await execute(em, "update delivery_waiting set due_at = now() + interval '1 minute', state = 'waiting' where task = $1", [task]);
}

const overdue: Statement = {
  name: 'notifications.overdue',
  text: `select lane, extract(epoch from now() - min(due_at))::float8 as age from delivery_waiting
         where state = 'waiting' and due_at <= now() group by lane`,
};

/** The lanes in which a waiting task should have been published, and for how many seconds. */
export const listOverdue = (database: Database): Promise<Array<{ lane: string; age: number }>> => database.query(overdue, []);

const dead: Statement = { name: 'notifications.dead_letters', text: "select count(*)::int as count from delivery_waiting where state = 'dead'" };

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
       (select task from delivery_waiting where state = 'dead' and enqueued_at < now() - interval '30 days' limit $1) returning 1`,
    [limit],
  );
  return Math.max(attempts.length, dead.length);
}
