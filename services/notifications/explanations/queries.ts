import type { Buffer } from 'node:buffer';
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
};

type OfEvent = [tenant: string, event: string, endpoint: string | null];

const endpointsOfEvent: Statement<EndpointOfEvent, OfEvent> = {
  name: 'notifications.endpoints_of_event',
  text: `select e.id, e.name, e.active, e.event_types as "eventTypes", e.rate_limit as "rateLimit", e.created_at as "createdAt", e.updated_at as "updatedAt",
           w.state, w.lane, w.attempt, w.first_attempt as "firstAttempt", case when w.due_at > now() then w.due_at end as "dueAt",
           case when h.paused_until > now() then h.paused_until end as "pausedUntil", coalesce(h.pause_ms, 0) as "pauseMs",
           case when h.release_at > now() then h.release_at end as "releaseAt"
         from webhook_endpoint e
         left join delivery_waiting w on w.tenant = e.tenant and w.task = $2::text || '.' || e.id
         left join endpoint_health h on h.tenant = e.tenant and h.endpoint = e.id
         where e.tenant = $1 and ($3::text is null or e.id = $3) order by e.id`,
};

/** The webhook endpoints of a tenant, or one of them, with the waiting task of an event. */
export const listEndpointsOfEvent = (
  database: Database,
  ...[tenant, event, endpoint]: OfEvent
): Promise<EndpointOfEvent[]> => database.query(endpointsOfEvent, [tenant, event, endpoint]);

const attemptsOfEvent: Statement<ListedAttempt, OfEvent> = {
  name: 'notifications.attempts_of_event',
  text: `select ${attemptColumns} from webhook_endpoint e cross join lateral (
           select * from delivery_attempt d where d.tenant = $1 and d.task = $2::text || '.' || e.id order by d.attempt desc limit 50
         ) a where e.tenant = $1 and ($3::text is null or e.id = $3) order by a.endpoint, a.attempt`,
};

/** The latest attempts at an event, by endpoint and oldest first. */
export const listAttemptsOfEvent = (
  database: Database,
  ...[tenant, event, endpoint]: OfEvent
): Promise<ListedAttempt[]> => database.query(attemptsOfEvent, [tenant, event, endpoint]);

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

const traceOfEvent: Statement<Trace, [tenant: string, event: string]> = {
  name: 'notifications.trace_of_event',
  text: `select $1::text as tenant, a.type, coalesce(w.task, m.task) as task, coalesce(w.dek_id, m.dek_id) as "dekId", coalesce(w.request, m.request) as request
         from (
           select id from webhook_endpoint where tenant = $1 union all select id from chat_endpoint where tenant = $1
         ) as e
         left join lateral (select d.type from delivery_attempt d where d.tenant = $1 and d.task = $2::text || '.' || e.id limit 1) a on true
         left join delivery_waiting w on w.tenant = $1 and w.task = $2::text || '.' || e.id
         left join delivery_message m on m.tenant = $1 and m.task = $2::text || '.' || e.id
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
