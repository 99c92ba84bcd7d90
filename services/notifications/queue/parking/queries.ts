import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import { type ChatKind, chatRates } from '../../chat-kinds.ts';
import type { WaitingRow } from '../queries.ts';

// Parked tasks: they wait until their endpoint can be sent to.

// A task that another process has settled meanwhile is not parked. Rows are locked in the same
// order everywhere.
const park: Statement<
  unknown,
  [
    tasks: readonly string[],
    lanes: readonly string[],
    operations: readonly string[],
    tenants: readonly string[],
    endpoints: readonly string[],
    events: readonly string[],
    attempts: readonly number[],
    firstAttempts: readonly number[],
    enqueuedAt: readonly Date[],
    extras: readonly string[],
    dekIds: readonly string[],
    requests: readonly Uint8Array[],
    traceparents: readonly string[],
    sizes: readonly number[],
    afterSeconds: readonly number[],
  ]
> = {
  name: 'notifications.park',
  text: `with parked as (
      insert into delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, first_attempt, enqueued_at, extra, dek_id, request, traceparent)
      select task, 'parked', lane, operation, tenant, endpoint, event, attempt, first_attempt, enqueued_at, extra, dek_id, request, traceparent
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::timestamptz[], $10::jsonb[], $11::text[], $12::bytea[], $13::text[])
        as p (task, lane, operation, tenant, endpoint, event, attempt, first_attempt, enqueued_at, extra, dek_id, request, traceparent)
      where not exists (select from delivery_attempt a where a.task = p.task and a.attempt = p.attempt) order by task
      on conflict (task) do update set state = 'parked', due_at = null, queued_at = null
      where delivery_waiting.attempt = excluded.attempt and delivery_waiting.state in ('waiting', 'queued')
      returning task, tenant, endpoint
    )
    insert into endpoint_health as h (tenant, endpoint, parked, release_size, release_at)
    select tenant, endpoint, true, size, case when seconds > 0 then now() + make_interval(secs => seconds) end
    from (select p.tenant, p.endpoint, min(r.size) as size, max(r.seconds) as seconds
          from parked p join unnest($1::text[], $14::int[], $15::float8[]) as r (task, size, seconds) using (task)
          group by p.tenant, p.endpoint) as released order by tenant, endpoint
    on conflict (tenant, endpoint) do update set parked = true, release_size = least(h.release_size, excluded.release_size),
      release_at = case when h.parked then h.release_at else excluded.release_at end`,
  between: 'the worker holds the task, whose id is unique',
};

/**
 * How many of an endpoint's tasks are released at once when it can be sent to again, and the
 * minimum delay in seconds.
 */
export type Release = { size: number; afterSeconds: number };

export type ParkedRow = Omit<WaitingRow, 'state' | 'dueAt'> & { release: Release };

/** Parks tasks until their endpoints can be sent to. The attempts are neither made nor counted. */
export async function parkTasks(
  database: Database,
  call: Origin,
  rows: readonly ParkedRow[],
): Promise<void> {
  const column = <Name extends keyof ParkedRow>(name: Name) => rows.map((row) => row[name]);
  await database.write(call, park, [
    column('task'),
    column('lane'),
    column('operation'),
    column('tenant'),
    column('endpoint'),
    column('event'),
    column('attempt'),
    column('firstAttempt'),
    column('enqueuedAt'),
    column('extra').map((extra) => JSON.stringify(extra)),
    column('dekId'),
    column('request'),
    column('traceparent'),
    column('release').map(({ size }) => size),
    column('release').map(({ afterSeconds }) => afterSeconds),
  ]);
}

export type Releasing = {
  tenant: string;
  endpoint: string;
  size: number;
  pauseMs: number;
  rateLimit: number;
};

const nextRelease: Statement<{ inMs: number | null }, []> = {
  name: 'notifications.next_release',
  text: `select (extract(epoch from min(coalesce(greatest(paused_until, release_at), now())) - now()) * 1000)::float8 as "inMs"
         from endpoint_health where parked`,
  across: 'returns when the queue looks again, and no tenant data',
};

/** In how many milliseconds parked tasks can be released; Infinity if none are parked. */
export async function findNextRelease(database: Database): Promise<number> {
  const [row] = await database.query(nextRelease, []);
  return row?.inMs ?? Number.POSITIVE_INFINITY;
}

const releasing: Statement<{ tenant: string; endpoint: string }, [limit: number]> = {
  name: 'notifications.releasing',
  text: `select tenant, endpoint from endpoint_health
         where parked and (paused_until is null or paused_until <= now()) and (release_at is null or release_at <= now())
         order by release_at nulls first limit $1`,
  across: 'the queue releases tasks of all tenants, each in its own tenant',
};

/** Endpoints with parked tasks that can be sent to again, longest wait first. */
export function listReleasing(
  database: Database,
  limit: number,
): Promise<Array<{ tenant: string; endpoint: string }>> {
  return database.query(releasing, [limit]);
}

/**
 * One endpoint to release tasks for, locked until the transaction ends; undefined if another
 * process has it.
 */
export async function takeReleasing(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<Releasing | undefined> {
  const [row] = await tx.query<Releasing & { kind: ChatKind | null }>(
    `select h.tenant, h.endpoint, h.release_size as size, h.pause_ms as "pauseMs", coalesce(e.rate_limit, 0) as "rateLimit", c.kind
     from endpoint_health h
     left join webhook_endpoint e on e.tenant = h.tenant and e.id = h.endpoint
     left join chat_endpoint c on c.tenant = h.tenant and c.id = h.endpoint
     where h.tenant = $1 and h.endpoint = $2 and h.parked and (h.release_at is null or h.release_at <= now()) for update of h skip locked`,
    [tenant, endpoint],
  );
  if (!row) return undefined;
  const { kind, ...rest } = row;
  return { ...rest, rateLimit: kind ? chatRates[kind] : rest.rateLimit };
}

/**
 * Releases an endpoint's oldest parked tasks, so that at most `limit` are in flight. Returns how
 * many were in flight before.
 */
export async function releaseParked(
  tx: Transaction,
  { tenant, endpoint }: Releasing,
  limit: number,
): Promise<number> {
  const [row] = await tx.query<{ underWay: number }>(
    `with under_way as (
       select count(*)::int as count from (
         select from delivery_waiting where tenant = $1 and endpoint = $2 and state in ('waiting', 'queued') and due_at <= now() limit $3) as they
     ), released as (
       update delivery_waiting set state = 'waiting', due_at = now() where task in (
         select task from delivery_waiting where tenant = $1 and endpoint = $2 and state = 'parked'
         order by enqueued_at limit (select greatest($3 - count, 0) from under_way) for update skip locked)
     )
     select count as "underWay" from under_way`,
    [tenant, endpoint, limit],
  );
  return row?.underWay ?? 0;
}

/**
 * Schedules the endpoint's next release. Remaining tasks are counted even if another transaction
 * has locked their rows.
 */
export async function setRelease(
  tx: Transaction,
  { tenant, endpoint }: Releasing,
  { size, afterSeconds }: Release,
): Promise<void> {
  await tx.query(
    `update endpoint_health set release_size = $3, release_at = now() + make_interval(secs => $4),
       parked = exists (select from delivery_waiting where tenant = $1 and endpoint = $2 and state = 'parked')
     where tenant = $1 and endpoint = $2`,
    [tenant, endpoint, size, afterSeconds],
  );
  // Deletes the row if no task is parked and no failure or pause is left.
  const nothing =
    'not parked and failing_since is null and pause_ms = 0 and coalesce(paused_until <= now(), true)';
  await tx.query(`delete from endpoint_health where tenant = $1 and endpoint = $2 and ${nothing}`, [
    tenant,
    endpoint,
  ]);
}
