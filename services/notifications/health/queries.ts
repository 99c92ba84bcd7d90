import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';
import { type ChatKind, chatRates } from '../chat-kinds.ts';
import type { Pauses } from './breaker.ts';

/** The state that decides whether an endpoint may be sent to now. */
export type EndpointState = {
  /** Deliveries a second; 0 = no limit. */
  rateLimit: number;
  pausedUntil: Date | string | null;
  /** Not 0 while the breaker is open or half-open. */
  pauseMs: number;
  isFailing: boolean;
};

const endpointState: Statement<
  EndpointState & { kind: ChatKind | null },
  [tenant: string, endpoint: string]
> = {
  name: 'notifications.gate',
  text: `select coalesce(e.rate_limit, 0) as "rateLimit", c.kind, h.paused_until as "pausedUntil", coalesce(h.pause_ms, 0) as "pauseMs",
           h.failing_since is not null as "isFailing"
         from (select) as always
         left join webhook_endpoint e on e.tenant = $1 and e.id = $2
         left join chat_endpoint c on c.tenant = $1 and c.id = $2
         left join endpoint_health h on h.tenant = $1 and h.endpoint = $2`,
};

export async function findEndpointState(
  database: Database,
  tenant: string,
  endpoint: string,
): Promise<EndpointState> {
  const [row] = await database.query(endpointState, [tenant, endpoint]);
  if (!row) throw new Error('the endpoint state query returned no row');
  const { kind, ...rest } = row;
  return { ...rest, rateLimit: kind ? chatRates[kind] : rest.rateLimit };
}

/** `status` and the columns after it: the latest attempt, null without one. */
export type HealthRow = {
  endpoint: string;
  failingSince: Date | string | null;
  pausedUntil: Date | string | null;
  waiting: number;
  attempts: number;
  delivered: number;
} & (
  | { status: string; statusCode: number; error: string; startedAt: Date | string }
  | { status: null; statusCode: null; error: null; startedAt: null }
);

/** The most waiting tasks that are counted, and the newest attempts among which the latest is. */
const counted = '1000';
const newest = '20';

const waitingIn = (states: string) =>
  `(select count(*)::int as count from (
      select from delivery_waiting w where w.tenant = $1 and w.endpoint = requested.id and w.state ${states} limit ${counted}) as one)`;

// Each part reads a bounded number of rows of an endpoint, from an index. Attempts that were
// dropped because the endpoint was off say nothing about the receiver.
const healthOfEndpoints: Statement<
  HealthRow,
  [tenant: string, endpoints: readonly string[], disabledAt: ReadonlyArray<Date | string | null>]
> = {
  name: 'notifications.endpoint_health',
  text: `select requested.id as endpoint, h.failing_since as "failingSince", case when h.paused_until > now() then h.paused_until end as "pausedUntil",
           least(parked.count + due.count, ${counted}) as waiting, day.attempts, day.delivered,
           latest.status, latest.status_code as "statusCode", latest.error, latest.started_at as "startedAt"
         from unnest($2::text[], $3::timestamptz[]) as requested (id, disabled_at)
         left join endpoint_health h on h.tenant = $1 and h.endpoint = requested.id
         cross join lateral ${waitingIn(`= 'parked'`)} as parked
         cross join lateral ${waitingIn(`in ('waiting', 'queued')`)} as due
         cross join lateral (
           select coalesce(sum(d.delivered + d.retried + d.failed), 0)::int as attempts, coalesce(sum(d.delivered), 0)::int as delivered
           from delivery_hour d where d.tenant = $1 and d.endpoint = requested.id and d.hour >= date_trunc('hour', now(), 'UTC') - interval '23 hours'
         ) as day
         left join lateral (
           select * from (
             select a.status, a.status_code, a.error, a.started_at from delivery_attempt a
             where a.tenant = $1 and a.endpoint = requested.id and a.started_at <= coalesce(requested.disabled_at, 'infinity')
             order by a.started_at desc limit ${newest}
           ) as recent where status <> 'dropped' order by started_at desc limit 1
         ) as latest on true`,
};

/** The health of endpoints of one tenant, a row for each. */
export const listHealth = (
  database: Database,
  tenant: string,
  endpoints: ReadonlyArray<{ id: string; disabledAt?: Date | string | null | undefined }>,
): Promise<HealthRow[]> =>
  database.query(healthOfEndpoints, [
    tenant,
    endpoints.map(({ id }) => id),
    endpoints.map(({ disabledAt }) => disabledAt ?? null),
  ]);

// An attempt that ends after its endpoint was deleted must leave no row.
const isThere = `exists (select from webhook_endpoint where tenant = $1 and id = $2 union all select from chat_endpoint where tenant = $1 and id = $2)`;

const failure: Statement<never, [tenant: string, endpoint: string]> = {
  name: 'notifications.note_failure',
  text: `insert into endpoint_health as h (tenant, endpoint, failing_since) select $1, $2, now() where ${isThere}
         on conflict (tenant, endpoint) do update set failing_since = coalesce(h.failing_since, now())`,
};

export async function markFailing(
  database: Database,
  call: Origin,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await database.write(call, failure, [tenant, endpoint]);
}

// A success during a pause does not end it: the receiver asked for the pause, or this attempt had
// started before the others failed.
const success: Statement<never, [tenant: string, endpoint: string]> = {
  name: 'notifications.note_success',
  text: `with well as (
           delete from endpoint_health where tenant = $1 and endpoint = $2 and not parked and coalesce(paused_until <= now(), true)
         )
         update endpoint_health set failing_since = null, exhausted_at = null, told_at = null, notices = 0,
           pause_ms = case when paused_until > now() then pause_ms else 0 end,
           paused_until = case when paused_until > now() then paused_until end
         where tenant = $1 and endpoint = $2 and (parked or paused_until > now())`,
};

export async function markHealthy(
  database: Database,
  call: Origin,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await database.write(call, success, [tenant, endpoint]);
}

const pause: Statement<never, [tenant: string, endpoint: string, until: Date]> = {
  name: 'notifications.pause',
  text: `insert into endpoint_health as h (tenant, endpoint, paused_until) select $1, $2, $3 where ${isThere}
         on conflict (tenant, endpoint) do update set paused_until = greatest(h.paused_until, excluded.paused_until)`,
};

/** Pauses an endpoint until the time that it asked for. */
export async function pauseUntil(
  database: Database,
  call: Origin,
  tenant: string,
  endpoint: string,
  until: Date,
): Promise<void> {
  await database.write(call, pause, [tenant, endpoint, until]);
}

// If several processes open the breaker at once, the first one pauses and the others find the
// pause.
const open: Statement<never, [tenant: string, endpoint: string, first: number, longest: number]> = {
  name: 'notifications.open_breaker',
  text: `insert into endpoint_health as h (tenant, endpoint, failing_since, pause_ms, paused_until, release_size)
         select $1, $2, now(), $3::int, now() + make_interval(secs => $3::int / 1000.0), 1 where ${isThere}
         on conflict (tenant, endpoint) do update set
           failing_since = coalesce(h.failing_since, now()),
           release_size = 1,
           pause_ms = case when h.paused_until > now() and h.pause_ms > 0 then h.pause_ms else least(greatest(2 * h.pause_ms, $3::int), $4::int) end,
           paused_until = case when h.paused_until > now() and h.pause_ms > 0 then h.paused_until
             else greatest(h.paused_until, now() + make_interval(secs => least(greatest(2 * h.pause_ms, $3::int), $4::int) / 1000.0)) end`,
};

/** Pauses an endpoint that failed too often. Each further failure doubles the pause. */
export async function openBreaker(
  database: Database,
  call: Origin,
  tenant: string,
  endpoint: string,
  pauses: Pauses,
): Promise<void> {
  await database.write(call, open, [tenant, endpoint, pauses.first, pauses.longest]);
}

/** Clears the health of an endpoint that a user has enabled. Its parked tasks are released. */
export async function clearHealth(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await tx.query(
    `with well as (delete from endpoint_health where tenant = $1 and endpoint = $2 and not parked)
     update endpoint_health set failing_since = null, exhausted_at = null, told_at = null, notices = 0, paused_until = null, pause_ms = 0, release_at = null
     where tenant = $1 and endpoint = $2 and parked`,
    [tenant, endpoint],
  );
}

export async function deleteHealth(
  tx: Transaction,
  tenant: string,
  endpoint: string,
): Promise<void> {
  await tx.query('delete from endpoint_health where tenant = $1 and endpoint = $2', [
    tenant,
    endpoint,
  ]);
}

export type FailingEndpoint = {
  tenant: string;
  endpoint: string;
  shouldDisable: boolean;
  notices: number;
};

/**
 * Owners are notified after each of `noticeSeconds`; after `disableAfterSeconds` with a
 * dead-lettered task the endpoint is disabled.
 */
export type DisablePolicy = { noticeSeconds: readonly number[]; disableAfterSeconds: number };

// The owners hear of a dead-lettered task at once, then at most once an hour.
const needsAction = `failing_since is not null and (
  failing_since < now() - make_interval(secs => ($1::int[])[notices + 1])
  or (exhausted_at is not null and (told_at is null or (told_at < exhausted_at and told_at < now() - interval '1 hour')))
  or (exhausted_at is not null and failing_since < now() - make_interval(secs => $2)))`;

const failing: Statement<
  { tenant: string; endpoint: string },
  [noticeSeconds: readonly number[], disableAfterSeconds: number, limit: number]
> = {
  name: 'notifications.ailing',
  text: `select tenant, endpoint from endpoint_health where ${needsAction} limit $3`,
  across: 'announces failing endpoints of all tenants, each in its own tenant',
};

/** Failing endpoints whose owners must be notified, or that must be disabled. */
export function listFailing(
  database: Database,
  { noticeSeconds, disableAfterSeconds }: DisablePolicy,
  limit: number,
): Promise<Array<{ tenant: string; endpoint: string }>> {
  return database.query(failing, [noticeSeconds, disableAfterSeconds, limit]);
}

/**
 * One failing endpoint, locked until the transaction ends; undefined if another process has it or
 * nothing is left to do.
 */
export async function lockFailing(
  tx: Transaction,
  { noticeSeconds, disableAfterSeconds }: DisablePolicy,
  tenant: string,
  endpoint: string,
): Promise<FailingEndpoint | undefined> {
  const [row] = await tx.query<FailingEndpoint>(
    `select tenant, endpoint, exhausted_at is not null and failing_since < now() - make_interval(secs => $2) as "shouldDisable",
       (select count(*)::int from unnest($1::int[]) as wait where failing_since < now() - make_interval(secs => wait)) as notices
     from endpoint_health where ${needsAction} and tenant = $3 and endpoint = $4 for update skip locked`,
    [noticeSeconds, disableAfterSeconds, tenant, endpoint],
  );
  return row;
}

/** Stores that the owners were notified. */
export async function markNotified(
  tx: Transaction,
  { tenant, endpoint, notices }: FailingEndpoint,
): Promise<void> {
  await tx.query(
    'update endpoint_health set told_at = now(), notices = $3 where tenant = $1 and endpoint = $2',
    [tenant, endpoint, notices],
  );
}

const openBreakers: Statement<{ count: number }, []> = {
  name: 'notifications.open_breakers',
  text: 'select count(*)::int as count from endpoint_health where pause_ms > 0 and paused_until > now()',
  across: 'counts the queue of all tenants and returns no tenant data',
};

export async function countOpenBreakers(database: Database): Promise<number> {
  const [row] = await database.query(openBreakers, []);
  return row?.count ?? 0;
}
