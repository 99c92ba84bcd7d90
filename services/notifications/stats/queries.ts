import type { Reader, Statement, Transaction } from '@bailiwick/store';

export type EndpointPrefix = 'whk' | 'slk';

const counts: Readonly<Record<EndpointPrefix, Statement<EndpointNumbers, [tenant: string]>>> = {
  whk: {
    name: 'notifications.count_webhook_endpoints',
    text: `select count(*)::int as total, count(*) filter (where e.disabled_reason <> '')::int as disabled,
             count(*) filter (where e.active and h.failing_since is not null)::int as failing
           from webhook_endpoint e left join endpoint_health h on h.tenant = e.tenant and h.endpoint = e.id where e.tenant = $1`,
  },
  slk: {
    name: 'notifications.count_chat_endpoints',
    text: `select count(*)::int as total, count(*) filter (where e.disabled_reason <> '')::int as disabled,
             count(*) filter (where e.active and h.failing_since is not null)::int as failing
           from chat_endpoint e left join endpoint_health h on h.tenant = e.tenant and h.endpoint = e.id where e.tenant = $1`,
  },
};

type EndpointNumbers = { total: number; failing: number; disabled: number };

/** The endpoints of one kind, of which a tenant has a maximum number. */
export async function countEndpoints(
  reader: Reader,
  tenant: string,
  prefix: EndpointPrefix,
): Promise<EndpointNumbers> {
  const [row] = await reader.query(counts[prefix], [tenant]);
  return row ?? { total: 0, failing: 0, disabled: 0 };
}

export type StatsRow = {
  start: Date | string;
  delivered: number;
  retried: number;
  failed: number;
  meanMs: number;
  longestMs: number;
};

const numbers = `coalesce(sum(h.delivered), 0)::int as delivered, coalesce(sum(h.retried), 0)::int as retried, coalesce(sum(h.failed), 0)::int as failed,
  coalesce(sum(h.total_ms) / nullif(sum(h.delivered + h.retried + h.failed), 0), 0)::int as "meanMs", coalesce(max(h.longest_ms), 0)::int as "longestMs"`;

// The series is in UTC, whatever the time zone of the connection is.
const days: Statement<StatsRow, [tenant: string, first: string, last: string]> = {
  name: 'notifications.delivery_days',
  text: `with counted as (
           select date_trunc('day', hour at time zone 'UTC') as day, delivered, retried, failed, total_ms, longest_ms from delivery_hour
           where tenant = $1 and endpoint between $2 and $3 and hour >= date_trunc('day', now(), 'UTC') - interval '29 days'
         )
         select asked.day at time zone 'UTC' as start, ${numbers}
         from generate_series(date_trunc('day', now() at time zone 'UTC') - interval '29 days', date_trunc('day', now() at time zone 'UTC'), interval '1 day') as asked (day)
         left join counted h on h.day = asked.day group by asked.day order by asked.day`,
};
const hours: Statement<StatsRow, [tenant: string, first: string, last: string]> = {
  name: 'notifications.delivery_hours',
  text: `with counted as (
           select hour, delivered, retried, failed, total_ms, longest_ms from delivery_hour
           where tenant = $1 and endpoint between $2 and $3 and hour >= date_trunc('hour', now()) - interval '47 hours'
         )
         select asked.hour as start, ${numbers}
         from generate_series(date_trunc('hour', now()) - interval '47 hours', date_trunc('hour', now()), interval '1 hour') as asked (hour)
         left join counted h on h.hour = asked.hour group by asked.hour order by asked.hour`,
};

/** An endpoint, or all of one kind. */
export type Counted = { id: string } | { all: EndpointPrefix };

/** The next prefix: in every collation, ids with a prefix come before it. */
const ends: Readonly<Record<EndpointPrefix, string>> = { whk: 'whl', slk: 'sll' };

// The ids between which the key finds the counts.
const rangeOf = (of: Counted): [first: string, last: string] =>
  'id' in of ? [of.id, of.id] : [`${of.all}_`, ends[of.all]];

/** The attempts of the last 30 days by day, oldest first. */
export const listDays = (reader: Reader, tenant: string, of: Counted): Promise<StatsRow[]> =>
  reader.query(days, [tenant, ...rangeOf(of)]);

/** The attempts of the last 48 hours by hour, oldest first. */
export const listHours = (reader: Reader, tenant: string, of: Counted): Promise<StatsRow[]> =>
  reader.query(hours, [tenant, ...rangeOf(of)]);

const oldHours: Statement<unknown, [limit: number]> = {
  name: 'notifications.delete_old_hours',
  text: `delete from delivery_hour where ctid in (
       select ctid from delivery_hour where hour < now() - interval '31 days' limit $1 for update skip locked) returning 1`,
  between: 'the sweeper covers all tenants',
};

/** Deletes at most `limit` counts that are no longer shown, and returns their number. */
export async function deleteOldHours(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query(oldHours, [limit]);
  return rows.length;
}
