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
  dekId: string;
  request: Buffer;
};

const attemptDone: Statement = { name: 'notifications.attempt_done', text: 'select 1 from delivery_attempt where task = $1 and attempt = $2' };

export async function isAttemptDone(database: Database, task: string, attempt: number): Promise<boolean> {
  const rows = await database.query(attemptDone, [task, attempt]);
  return rows.length > 0;
}

/** Notes an attempt. False where it was noted before: then somebody else has already settled what follows. */
export async function insertAttempt(em: EntityManager, row: AttemptRow): Promise<boolean> {
  const inserted = await execute<{ task: string }>(
    em,
    `insert into delivery_attempt (task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at, next_attempt_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning task`,
    [row.task, row.attempt, row.operation, row.tenant, row.endpoint, row.event, row.type, row.delivery, row.status, row.statusCode, row.error, row.message, row.durationMs, row.startedAt, row.nextAttemptAt],
  );
  return inserted.length > 0;
}

/** Notes what becomes of a task. An older attempt never overwrites a newer one. */
export async function upsertWaiting(em: EntityManager, row: WaitingRow): Promise<void> {
  await execute(
    em,
    `insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, due_at, queued_at, enqueued_at, extra, dek_id, request)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?, ?, ?, ?)
     on conflict (task) do update set state = excluded.state, attempt = excluded.attempt, due_at = excluded.due_at, queued_at = null
     where delivery_waiting.attempt < excluded.attempt or (delivery_waiting.attempt = excluded.attempt and excluded.state = 'dead')`,
    [row.task, row.state, row.lane, row.operation, row.tenant, row.endpoint, row.event, row.attempt, row.dueAt, row.enqueuedAt, JSON.stringify(row.extra), row.dekId, row.request],
  );
}

export async function deleteTask(em: EntityManager, task: string): Promise<void> {
  await execute(em, 'delete from delivery_waiting where task = ?', [task]);
}

/**
 * Takes tasks that are due, and those that the broker was given a while ago and that never came back: it may
 * have lost its store. The rows stay locked until the transaction ends.
 */
export function takeDue(em: EntityManager, lane: string, limit: number): Promise<WaitingRow[]> {
  return execute<WaitingRow>(
    em,
    `select task, state, lane, operation, tenant, endpoint, event, attempt, due_at as "dueAt", enqueued_at as "enqueuedAt", extra, dek_id as "dekId", request
     from delivery_waiting
     where lane = ? and ((state = 'waiting' and due_at <= now()) or (state = 'queued' and queued_at < now() - interval '15 minutes'))
     order by due_at limit ? for update skip locked`,
    [lane, limit],
  );
}

export async function markQueued(em: EntityManager, task: string): Promise<void> {
  await execute(em, "update delivery_waiting set state = 'queued', queued_at = now() where task = ?", [task]);
}

/** Puts a row off that cannot be published, so that it does not stand in the way of the others. */
export async function postpone(em: EntityManager, task: string): Promise<void> {
  await execute(em, "update delivery_waiting set due_at = now() + interval '1 minute', state = 'waiting' where task = ?", [task]);
}

/** Forgets attempts older than 30 days, a batch at a time. Returns how many went. */
export async function deleteOldAttempts(em: EntityManager, limit: number): Promise<number> {
  const rows = await execute(
    em,
    `delete from delivery_attempt where (task, attempt) in (select task, attempt from delivery_attempt where started_at < now() - interval '30 days' limit ?) returning task`,
    [limit],
  );
  return rows.length;
}
