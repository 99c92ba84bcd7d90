import type { Database, Statement } from '@bailiwick/store';

// The state of the queue for operators, across all tenants.

const waiting: Statement<{ lane: string; count: number }, []> = {
  name: 'notifications.waiting_by_lane',
  text: `select lane, count(*)::int as count from delivery_waiting
         where state in ('waiting', 'queued', 'parked') group by lane`,
  across: 'counts the waiting tasks of all tenants by lane',
};

/** The number of waiting tasks of each lane that has some. */
export const countWaiting = (database: Database): Promise<Array<{ lane: string; count: number }>> =>
  database.query(waiting, []);

const failing: Statement<FailingRow, [most: number]> = {
  name: 'notifications.failing_endpoints',
  text: `select h.tenant, h.endpoint, coalesce(w.name, c.name, '') as name, h.failing_since as "failingSince",
           case when h.paused_until > now() then h.paused_until end as "pausedUntil",
           queued.waiting, queued.dead, coalesce(a.error, '') as error, coalesce(a.status_code, 0) as "statusCode"
         from (
           select tenant, endpoint, failing_since, paused_until from endpoint_health
           where failing_since is not null order by failing_since limit $1
         ) h
         left join webhook_endpoint w on w.tenant = h.tenant and w.id = h.endpoint
         left join chat_endpoint c on c.tenant = h.tenant and c.id = h.endpoint
         cross join lateral (
           select count(*) filter (where state <> 'dead')::int as waiting, count(*) filter (where state = 'dead')::int as dead
           from delivery_waiting d where d.tenant = h.tenant and d.endpoint = h.endpoint
         ) as queued
         left join lateral (
           select error, status_code from delivery_attempt t
           where t.tenant = h.tenant and t.endpoint = h.endpoint order by started_at desc limit 1
         ) a on true
         order by h.failing_since`,
  across: 'shows the failing endpoints of all tenants to operators',
};

export type FailingRow = {
  tenant: string;
  endpoint: string;
  name: string;
  failingSince: string;
  pausedUntil: string | null;
  waiting: number;
  dead: number;
  error: string;
  statusCode: number;
};

/** The endpoints that fail for the longest time, of all tenants. */
export const listFailingEndpoints = (database: Database, most: number): Promise<FailingRow[]> =>
  database.query(failing, [most]);
