import type { Buffer } from 'node:buffer';
import type { Database, Reader, Statement, Transaction } from '@bailiwick/store';
import type { AttemptRow } from '../queue/queries.ts';

export type MessageRow = {
  task: string;
  tenant: string;
  endpoint: string;
  event: string;
  type: string;
  delivery: string;
  createdAt: Date | string;
  dekId: string;
  request: Buffer;
};

export type MessageKey = { tenant: string; endpoint: string; delivery: string };

// A process of an older version does not know this table when it rotates data keys, so it may have
// deleted the key of a message.
const whereStored = `tenant = $1 and endpoint = $2 and delivery = $3 and created_at >= now() - make_interval(hours => $4)
  and exists (select from dek where dek.tenant = delivery_message.tenant and dek.id = delivery_message.dek_id)
  order by created_at desc, task desc limit 1`;

const message: Statement<
  MessageRow,
  [tenant: string, endpoint: string, delivery: string, hours: number]
> = {
  name: 'notifications.message',
  text: `select task, tenant, endpoint, event, type, delivery, created_at as "createdAt", dek_id as "dekId", request from delivery_message where ${whereStored}`,
};

/** The newest kept message with this webhook-id that was sent to the endpoint. */
export async function findMessage(
  database: Database,
  { tenant, endpoint, delivery }: MessageKey,
  hours: number,
): Promise<MessageRow | undefined> {
  const [row] = await database.query(message, [tenant, endpoint, delivery, hours]);
  return row;
}

/**
 * Schedules a message to be sent again at once, with a fresh retry schedule, as a further attempt
 * of its task. Returns undefined if the message is not kept, and false if it is already in flight.
 */
export async function resendMessage(
  tx: Transaction,
  { tenant, endpoint, delivery }: MessageKey,
  hours: number,
): Promise<boolean | undefined> {
  // Concurrent calls take turns.
  const [row] = await tx.query<{ task: string }>(
    `select task from delivery_message where ${whereStored} for update`,
    [tenant, endpoint, delivery, hours],
  );
  if (!row) return undefined;
  const { task } = row;
  // Waits for an attempt that is being settled: the next statement sees it and numbers the new
  // attempt after it.
  const [waiting] = await tx.query<{ state: string }>(
    'select state from delivery_waiting where tenant = $1 and task = $2 for update',
    [tenant, task],
  );
  if (waiting && waiting.state !== 'dead') return false;
  const retry = waiting
    ? `update delivery_waiting set state = 'waiting', lane = 'replay', attempt = attempt + 1, first_attempt = attempt + 1, due_at = now(), queued_at = null
       where tenant = $1 and task = $2`
    : `insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt, due_at, enqueued_at, extra, dek_id, request)
       select m.task, 'waiting', 'replay', m.operation, m.tenant, m.endpoint, m.event, last.attempt + 1, last.attempt + 1, now(), now(), '{}', m.dek_id, m.request
       from delivery_message m
       cross join (select coalesce(max(a.attempt), 0) as attempt from delivery_attempt a where a.tenant = $1 and a.task = $2) as last
       where m.tenant = $1 and m.task = $2`;
  await tx.query(retry, [tenant, task]);
  return true;
}

// A pause beyond the breaker's own time is one that the receiver asked for.
const isReceiversPause = 'paused_until > now() + make_interval(secs => pause_ms / 1000.0)';

// A chat message's delivery is its task. A message that was never attempted has no other row.
const whereWaiting = `tenant = $1 and endpoint = $2 and task in ($3, $3 || '.' || $2)`;

/**
 * Makes the next attempt at a waiting message due at once, and ends a pause that the breaker began.
 * Returns false if the broker has the message already or the receiver asked for a pause, and
 * undefined if the message does not wait.
 */
export async function attemptNow(
  tx: Transaction,
  { tenant, endpoint, delivery }: MessageKey,
): Promise<boolean | undefined> {
  const [due] = await tx.query(
    `update delivery_waiting set state = 'waiting', due_at = now(), queued_at = null where ${whereWaiting} and state in ('waiting', 'parked')
       and not exists (select from endpoint_health where tenant = $1 and endpoint = $2 and ${isReceiversPause}) returning 1`,
    [tenant, endpoint, delivery],
  );
  if (!due) {
    const rows = await tx.query(
      `select from delivery_waiting where ${whereWaiting} and state <> 'dead'`,
      [tenant, endpoint, delivery],
    );
    return rows.length > 0 ? false : undefined;
  }
  // The breaker stays half-open: if the attempt fails, the endpoint is paused again. The failure
  // doubles the half, so that the pause does not grow with the attempts that a user asks for.
  await tx.query(
    `update endpoint_health set paused_until = null, release_at = null, pause_ms = greatest(pause_ms / 2, 1)
     where tenant = $1 and endpoint = $2 and paused_until > now() and pause_ms > 0`,
    [tenant, endpoint],
  );
  return true;
}

/** Marks the messages of an endpoint for deletion. */
export async function forgetMessages(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await tx.query(
    'insert into deleted_endpoint (tenant, endpoint, deleted_at) values ($1, $2, now()) on conflict do nothing',
    [tenant, endpoint],
  );
}

/** A delivery in flight when its endpoint was deleted ends within this time. */
const lateSeconds = 60;

const forgottenMessages: Statement<unknown, [limit: number]> = {
  name: 'notifications.delete_forgotten_messages',
  text: `delete from delivery_message where task in (
       select m.task from deleted_endpoint d join delivery_message m on m.tenant = d.tenant and m.endpoint = d.endpoint
       order by m.task limit $1 for update of m) returning 1`,
  across: 'the sweeper covers all tenants',
};
const forgottenEndpoints: Statement<never, [lateSeconds: number]> = {
  name: 'notifications.delete_forgotten_endpoints',
  text: 'delete from deleted_endpoint where deleted_at < now() - make_interval(secs => $1)',
  across: 'the sweeper covers all tenants',
};

/** Deletes at most `limit` messages of deleted endpoints and returns their number. */
export async function deleteForgotten(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query(forgottenMessages, [limit]);
  if (rows.length < limit) await tx.query(forgottenEndpoints, [lateSeconds]);
  return rows.length;
}

const expiredMessages: Statement<unknown, [hours: number, limit: number]> = {
  name: 'notifications.delete_expired_messages',
  text: `delete from delivery_message where task in (
       select task from delivery_message where created_at < now() - make_interval(hours => $1) order by task limit $2 for update skip locked) returning 1`,
  across: 'the sweeper covers all tenants',
};

/** Deletes at most `limit` expired messages and returns their number. */
export async function deleteExpiredMessages(
  tx: Transaction,
  hours: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(expiredMessages, [hours, limit]);
  return rows.length;
}

// The attempts at messages of one kind of endpoint.

/**
 * The columns that the attempt list returns. The driver returns times of prepared statements as
 * text.
 */
export type ListedAttempt = Omit<AttemptRow, 'operation' | 'startedAt' | 'nextAttemptAt'> & {
  startedAt: Date | string;
  nextAttemptAt: Date | string | null;
};

/** null = no restriction. */
export type AttemptFilter = {
  /** The prefix of the endpoint ids. */
  prefix: string;
  endpoint: string | null;
  status: string | null;
  type: string | null;
  since: Date | null;
  until: Date | null;
  /** Only the latest attempt of each task. */
  latest?: boolean;
};

export const attemptColumns = `a.task, a.attempt, a.tenant, a.endpoint, a.event, a.type, a.delivery, a.status, a.status_code as "statusCode", a.error, a.message,
    a.duration_ms as "durationMs", a.started_at as "startedAt", a.next_attempt_at as "nextAttemptAt"`;

// Older attempts only wait to be swept.
const wantedAttempts = `a.started_at >= greatest($2::timestamptz, now() - interval '30 days') and a.started_at < coalesce($3::timestamptz, 'infinity')
  and a.started_at <= coalesce($4::timestamptz, 'infinity') and (a.started_at, a.task, a.attempt) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::text, ''), coalesce($6::int, 0))
  and ($7::text is null or a.status = $7) and ($8::text is null or a.type = $8)
  and (not $11::boolean or not exists (select from delivery_attempt l where l.tenant = $1 and l.task = a.task and l.attempt > a.attempt))`;
const newestFirst = 'a.started_at desc, a.task desc, a.attempt desc limit $9';

type AttemptsStatement = Statement<
  ListedAttempt,
  [
    tenant: string,
    since: AttemptFilter['since'],
    until: AttemptFilter['until'],
    startedAt: string | null,
    task: string | null,
    attempt: number | null,
    status: AttemptFilter['status'],
    type: AttemptFilter['type'],
    limit: number,
    endpointOrPrefix: string,
    latest: boolean,
  ]
>;

// Walks the endpoints one by one, deleted ones included, each found from the one before: a tenant
// without endpoints of this kind may have millions of attempts at the other kind. The double
// comparison and the ordering make PostgreSQL use the endpoint's own index: with the tenant's index
// it would search an endpoint's few attempts among all.
const attemptsOfTenant: AttemptsStatement = {
  name: 'notifications.attempts_of_tenant',
  text: `with recursive known as (
           (select d.endpoint from delivery_attempt d where d.tenant = $1 and d.endpoint >= $10 order by d.endpoint limit 1)
           union all
           select (select d.endpoint from delivery_attempt d where d.tenant = $1 and d.endpoint > k.endpoint order by d.endpoint limit 1)
           from known k where starts_with(k.endpoint, $10)
         )
         select ${attemptColumns} from known k cross join lateral (
           select * from delivery_attempt a
           where a.tenant = $1 and a.endpoint >= k.endpoint and a.endpoint <= k.endpoint and ${wantedAttempts} order by a.endpoint desc, ${newestFirst}
         ) a where starts_with(k.endpoint, $10) order by ${newestFirst}`,
};
const attemptsOfEndpoint: AttemptsStatement = {
  name: 'notifications.attempts_of_endpoint',
  text: `select ${attemptColumns} from delivery_attempt a where a.tenant = $1 and a.endpoint = $10 and ${wantedAttempts} order by ${newestFirst}`,
};

export type AttemptPage = {
  limit: number;
  after: { startedAt: string; attempt: number; task: string } | undefined;
};

/** A tenant's attempts after the cursor, newest first, and one more than the page holds. */
export function listAttempts(
  reader: Reader,
  tenant: string,
  filter: AttemptFilter,
  { limit, after }: AttemptPage,
): Promise<ListedAttempt[]> {
  const { prefix, endpoint, status, type, since, until, latest = false } = filter;
  return reader.query(endpoint === null ? attemptsOfTenant : attemptsOfEndpoint, [
    tenant,
    since,
    until,
    after?.startedAt ?? null,
    after?.task ?? null,
    after?.attempt ?? null,
    status,
    type,
    limit,
    endpoint ?? prefix,
    latest,
  ]);
}

const attemptsOfTask: Statement<ListedAttempt, [tenant: string, task: string]> = {
  name: 'notifications.attempts_of_task',
  text: `select ${attemptColumns} from delivery_attempt a where a.tenant = $1 and a.task = $2 order by a.attempt desc limit 200`,
};

/** The newest attempts of a task, oldest first. */
export const listAttemptsOfTask = async (
  database: Database,
  tenant: string,
  task: string,
): Promise<ListedAttempt[]> => (await database.query(attemptsOfTask, [tenant, task])).toReversed();
