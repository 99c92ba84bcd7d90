import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { WaitingRow } from '../queries.ts';

// Waiting tasks that are due, and old rows.

const nextDue: Statement<{ lane: string; inMs: number }, [lanes: readonly string[]]> = {
  name: 'notifications.next_due',
  text: `select lane, (extract(epoch from due - now()) * 1000)::float8 as "inMs" from unnest($1::text[]) as asked (lane)
         cross join lateral (select min(due_at) as due from delivery_waiting w where w.lane = asked.lane and w.state = 'waiting') as next
         where due is not null`,
  across: 'the queue publishes the due tasks of all tenants',
};

/** Those of the lanes that have waiting tasks, and when the first is due; not above 0 = now. */
export const findNextDue = (
  database: Database,
  lanes: readonly string[],
): Promise<Array<{ lane: string; inMs: number }>> => database.query(nextDue, [lanes]);

const dueTasks: Statement<WaitingRow, [lane: string, limit: number]> = {
  name: 'notifications.take_due',
  text: `select task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt as "firstAttempt", due_at as "dueAt",
       enqueued_at as "enqueuedAt", extra, traceparent, dek_id as "dekId", request
     from delivery_waiting
     where lane = $1 and state = 'waiting' and due_at <= now() order by due_at limit $2 for update skip locked`,
  across: 'the relay covers all tenants',
};

/** Takes due tasks of a lane. The rows stay locked until the transaction ends. */
export function takeDue(tx: Transaction, lane: string, limit: number): Promise<WaitingRow[]> {
  return tx.query(dueTasks, [lane, limit]);
}

const queuedTasks: Statement<never, [tasks: readonly string[]]> = {
  name: 'notifications.mark_queued',
  text: "update delivery_waiting set state = 'queued', queued_at = now() where task = any($1)",
  across: 'the relay holds the task',
};

export async function markQueued(tx: Transaction, tasks: readonly string[]): Promise<void> {
  await tx.query(queuedTasks, [tasks]);
}

const lostTasks: Statement<unknown, [lane: string, before: Date, limit: number]> = {
  name: 'notifications.requeue',
  text: `update delivery_waiting set state = 'waiting' where task in (
       select task from delivery_waiting where lane = $1 and state = 'queued' and queued_at < $2 order by queued_at limit $3 for update skip locked)
     returning 1`,
  across: 'the relay covers all tenants',
};

/**
 * Makes at most `limit` tasks of a lane, published before that time, due again at once. Returns
 * their number.
 */
export async function requeue(
  tx: Transaction,
  lane: string,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await tx.query(lostTasks, [lane, before, limit]);
  return rows.length;
}

const postponement: Statement<never, [task: string]> = {
  name: 'notifications.postpone',
  text: "update delivery_waiting set due_at = now() + interval '1 minute', state = 'waiting' where task = $1",
  across: 'the relay holds the task',
};

/** Postpones a row that cannot be published, so that it does not block the others. */
export async function postpone(tx: Transaction, task: string): Promise<void> {
  await tx.query(postponement, [task]);
}

const overdue: Statement<{ lane: string; age: number }, []> = {
  name: 'notifications.overdue',
  text: `select lane, extract(epoch from now() - min(due_at))::float8 as age from delivery_waiting
         where state = 'waiting' and due_at <= now() group by lane`,
  across: 'counts the queue of all tenants and returns no tenant data',
};

/** The lanes with overdue tasks, and the age of the oldest in seconds. */
export const listOverdue = (database: Database): Promise<Array<{ lane: string; age: number }>> =>
  database.query(overdue, []);

const dead: Statement<{ count: number }, []> = {
  name: 'notifications.dead_letters',
  text: "select count(*)::int as count from delivery_waiting where state = 'dead'",
  across: 'counts the queue of all tenants and returns no tenant data',
};

export async function countDeadLetters(database: Database): Promise<number> {
  const [row] = await database.query(dead, []);
  return row?.count ?? 0;
}

const oldAttempts: Statement<unknown, [limit: number]> = {
  name: 'notifications.delete_old_attempts',
  text: `delete from delivery_attempt where (task, attempt) in
       (select task, attempt from delivery_attempt where started_at < now() - interval '30 days' limit $1) returning 1`,
  between: 'the sweeper covers all tenants',
};
const deadTasks: Statement<unknown, [limit: number]> = {
  name: 'notifications.delete_dead_tasks',
  text: `delete from delivery_waiting where task in
       (select task from delivery_waiting where state = 'dead' and enqueued_at < now() - interval '30 days' order by task limit $1 for update skip locked) returning 1`,
  across: 'the sweeper covers all tenants',
};

/**
 * Deletes a batch of attempts and of dead letters older than 30 days. Returns the larger number of
 * rows.
 */
export async function deleteOld(tx: Transaction, limit: number): Promise<number> {
  const attempts = await tx.query(oldAttempts, [limit]);
  const dead = await tx.query(deadTasks, [limit]);
  return Math.max(attempts.length, dead.length);
}
