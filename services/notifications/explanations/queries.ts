import type { Buffer } from 'node:buffer';
import { timeOfId } from '@bailiwick/contract';
import type { Database, Statement } from '@bailiwick/store';
import { attemptColumns, type ListedAttempt } from '../messages/queries.ts';

// The rows of an event in one tenant. A task's id has the event and the endpoint.

/** `dueAt`, `pausedUntil` and `releaseAt` are null unless they are in the future. */
export type EndpointOfEvent = {
  id: string;
  name: string;
  active: boolean;
  eventTypes: string[];
  rateLimit: number;
  createdAt: string;
  updatedAt: string;
  /** The state of the task's row; null without one. */
  state: 'waiting' | 'queued' | 'parked' | 'dead' | null;
  lane: string | null;
  attempt: number | null;
  firstAttempt: number | null;
  dueAt: string | null;
  pausedUntil: string | null;
  pauseMs: number;
  releaseAt: string | null;
  /** The latest attempts, oldest first. */
  attempts: ListedAttempt[];
};

/** The type of test events. */
export const pingType = 'endpoint.ping';

/** The id of the task of an event at an endpoint, in SQL. fanout.ts makes it. */
const taskAtEndpoint = `$2::text || '.' || e.id`;

// The task of a test does not have the event in its id. The event's own time finds the attempt in
// the index of the endpoint.
const whereTested = (at: string) =>
  `d.tenant = $1 and d.endpoint = e.id and d.event = $2 and d.type = '${pingType}'
     and d.started_at between ${at}::timestamptz - interval '1 second' and ${at}::timestamptz + interval '1 second'`;

const endpointsOfEvent: Statement<
  EndpointOfEvent,
  [tenant: string, event: string, endpoint: string | null, testedAt: Date | null]
> = {
  name: 'notifications.endpoints_of_event',
  text: `select e.id, e.name, e.active, e.event_types as "eventTypes", e.rate_limit as "rateLimit", e.created_at as "createdAt", e.updated_at as "updatedAt",
           w.state, w.lane, w.attempt, w.first_attempt as "firstAttempt", case when w.due_at > now() then w.due_at end as "dueAt",
           case when h.paused_until > now() then h.paused_until end as "pausedUntil", coalesce(h.pause_ms, 0) as "pauseMs",
           case when h.release_at > now() then h.release_at end as "releaseAt", coalesce(l.attempts, '[]') as attempts
         from webhook_endpoint e
         left join delivery_waiting w on w.tenant = e.tenant and w.task = ${taskAtEndpoint}
         left join endpoint_health h on h.tenant = e.tenant and h.endpoint = e.id
         cross join lateral (
           select json_agg(to_json(listed) order by listed.attempt) as attempts from (
             select ${attemptColumns} from (
               (select * from delivery_attempt d where d.tenant = $1 and d.task = ${taskAtEndpoint} order by d.attempt desc limit 50)
               union all (select * from delivery_attempt d where ${whereTested('$4')} limit 1)
             ) as a
           ) as listed
         ) as l
         where e.tenant = $1 and ($3::text is null or e.id = $3) order by e.id`,
};

type OfEvent = { id: string; type: string };

/**
 * The webhook endpoints of a tenant, or one of them, with the waiting task of an event and its
 * attempts. In one statement: a message does not wait beside the attempt that ended its wait.
 */
export const listEndpointsOfEvent = (
  database: Database,
  tenant: string,
  { id, type }: OfEvent,
  endpoint: string | null,
): Promise<EndpointOfEvent[]> => {
  const testedAt = type === pingType ? timeOfId(id) : null;
  return database.query(endpointsOfEvent, [tenant, id, endpoint, testedAt]);
};

const publishedEvent: Statement<{ event: string }, [tenant: string, event: string]> = {
  name: 'notifications.published_event',
  text: 'select event from outbox where for_tenant = $1 and id = $2 and event is not null',
};

/** The body of an event that this service has published in the last day. */
export async function findPublishedEvent(
  database: Database,
  tenant: string,
  event: string,
): Promise<string | undefined> {
  const [row] = await database.query(publishedEvent, [tenant, event]);
  return row?.event;
}

/** A trace of an event: the type of an attempt, the sealed request of a task, or both. */
export type Trace = {
  tenant: string;
  type: string | null;
  task: string | null;
  dekId: string;
  request: Buffer;
};

const endpointIds =
  '(select id from webhook_endpoint where tenant = $1 union all select id from chat_endpoint where tenant = $1)';

const traceOfEvent: Statement<Trace, [tenant: string, event: string]> = {
  name: 'notifications.trace_of_event',
  text: `select $1::text as tenant, a.type, coalesce(w.task, m.task) as task, coalesce(w.dek_id, m.dek_id) as "dekId", coalesce(w.request, m.request) as request
         from ${endpointIds} as e
         left join lateral (select d.type from delivery_attempt d where d.tenant = $1 and d.task = ${taskAtEndpoint} limit 1) a on true
         left join delivery_waiting w on w.tenant = $1 and w.task = ${taskAtEndpoint}
         left join delivery_message m on m.tenant = $1 and m.task = ${taskAtEndpoint}
         where a.type is not null or w.task is not null order by m.task nulls last, e.id desc limit 1`,
};

/** A trace of an event at the endpoints of a tenant; undefined without one. */
export async function findTrace(
  database: Database,
  tenant: string,
  event: string,
): Promise<Trace | undefined> {
  const [row] = await database.query(traceOfEvent, [tenant, event]);
  return row;
}

const pingOfEvent: Statement<unknown, [tenant: string, event: string, at: Date]> = {
  name: 'notifications.ping_of_event',
  text: `select from ${endpointIds} as e cross join lateral (select from delivery_attempt d where ${whereTested('$3')} limit 1) as a limit 1`,
};

/** Whether an event is the test of an endpoint of this tenant. */
export async function isPing(database: Database, tenant: string, event: string): Promise<boolean> {
  const rows = await database.query(pingOfEvent, [tenant, event, timeOfId(event)]);
  return rows.length > 0;
}
