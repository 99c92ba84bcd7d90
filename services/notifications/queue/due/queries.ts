import type { Database, Statement, Transaction } from '@bailiwick/store';
import type { WaitingRow } from '../queries.ts';

// Waiting tasks that are due, and old rows.

const nextDue: Statement = {
  name: 'notifications.next_due',
  text: `select lane, (extract(epoch from due - now()) * 1000)::float8 as "inMs" from unnest($1::text[]) as asked (lane)
         cross join lateral (select min(due_at) as due from delivery_waiting w where w.lane = asked.lane and w.state = 'waiting') as next
         where due is not null`,
};

/** Those of the lanes that have waiting tasks, and when the first is due; not above 0 = now. */
export const findNextDue = (
  database: Database,
  lanes: readonly string[],
): Promise<Array<{ lane: string; inMs: number }>> => database.query(nextDue, [lanes]);

/** Takes due tasks of a lane. The rows stay locked until the transaction ends. */
export function takeDue(tx: Transaction, lane: string, limit: number): Promise<WaitingRow[]> {
  return tx.query<WaitingRow>(
    `select task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt as "firstAttempt", due_at as "dueAt",
       enqueued_at as "enqueuedAt", extra, traceparent, dek_id as "dekId", request
     from delivery_waiting
     where lane = $1 and state = 'waiting' and due_at <= now() order by due_at limit $2 for update skip locked`,
    [lane, limit],
  );
}

export async function markQueued(tx: Transaction, tasks: readonly string[]): Promise<void> {
  await tx.query(
    "update delivery_waiting set state = 'queued', queued_at = now() where task = any($1)",
    [tasks],
  );
}

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
  const rows = await tx.query(
    `update delivery_waiting set state = 'waiting' where task in (
       select task from delivery_waiting where lane = $1 and state = 'queued' and queued_at < $2 order by queued_at limit $3 for update skip locked)
     returning 1`,
    [lane, before, limit],
  );
  return rows.length;
}

/** Postpones a row that cannot be published, so that it does not block the others. */
export async function postpone(tx: Transaction, task: string): Promise<void> {
  await tx.query(
    "update delivery_waiting set due_at = now() + interval '1 minute', state = 'waiting' where task = $1",
    [task],
  );
}

const overdue: Statement = {
  name: 'notifications.overdue',
  text: `select lane, extract(epoch from now() - min(due_at))::float8 as age from delivery_waiting
         where state = 'waiting' and due_at <= now() group by lane`,
};

/** The lanes with overdue tasks, and the age of the oldest in seconds. */
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

/**
 * Deletes a batch of attempts and of dead letters older than 30 days. Returns the larger number of
 * rows.
 */
export async function deleteOld(tx: Transaction, limit: number): Promise<number> {
  const attempts = await tx.query(
    `delete from delivery_attempt where (task, attempt) in
       (select task, attempt from delivery_attempt where started_at < now() - interval '30 days' limit $1) returning 1`,
    [limit],
  );
  const dead = await tx.query(
    `delete from delivery_waiting where task in
       (select task from delivery_waiting where state = 'dead' and enqueued_at < now() - interval '30 days' order by task limit $1 for update skip locked) returning 1`,
    [limit],
  );
  return Math.max(attempts.length, dead.length);
}
