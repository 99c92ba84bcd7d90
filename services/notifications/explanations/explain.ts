import type { Broker } from '@bailiwick/broker';
import { timeOf } from '@bailiwick/contract';
import type { DeliveryExplanationSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/explanations_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type FanoutEvent, missReason } from '../fanout/event.ts';
import { attemptOf } from '../messages/attempts.ts';
import type { ListedAttempt } from '../messages/queries.ts';
import type { Schedules } from '../queue/schedule.ts';
import { type EventDeps, findEvent } from './event.ts';
import { endMessages, type MissReason, missMessages, waitMessages } from './messages.ts';
import { type EndpointOfEvent, listAttemptsOfEvent, listEndpointsOfEvent } from './queries.ts';
import { type Wait, waitOf } from './wait.ts';

export type ExplainDeps = EventDeps & {
  broker: Pick<Broker, 'oldest'>;
  schedules: Pick<Schedules, 'webhook'>;
};

export type Explanation = MessageInitShape<typeof DeliveryExplanationSchema> & {
  receives: boolean;
};

type Explained = { event: FanoutEvent; endpoints: Explanation[] };

/**
 * The fate of an event at the webhook endpoints of a tenant, or at one of them. Returns undefined
 * for an event that is unknown in this tenant.
 */
export async function explainDelivery(
  deps: ExplainDeps,
  { tenant, event: id, endpoint }: { tenant: string; event: string; endpoint: string | null },
): Promise<Explained | undefined> {
  const event = await findEvent(deps, tenant, id);
  if (!event) return undefined;
  const [rows, attempts] = await Promise.all([
    listEndpointsOfEvent(deps.database, tenant, id, endpoint),
    listAttemptsOfEvent(deps.database, tenant, id, endpoint),
  ]);
  const attemptsAt = Map.groupBy(attempts, (attempt) => attempt.endpoint);
  const endpoints = rows.map((row) =>
    explainAt(deps, { tenant, event }, row, attemptsAt.get(row.id) ?? []),
  );
  return { event, endpoints: await Promise.all(endpoints) };
}

type TenantEvent = { tenant: string; event: FanoutEvent };

async function explainAt(
  deps: ExplainDeps,
  occasion: TenantEvent,
  row: EndpointOfEvent,
  attempts: readonly ListedAttempt[],
): Promise<Explanation> {
  const outcome = recordedOutcome(row, attempts.at(-1)?.status) ?? unrecordedOutcome(occasion, row);
  return {
    endpoint: row.id,
    name: row.name,
    ...(outcome === 'waiting' ? await waiting(deps, occasion, row) : ended(outcome)),
    // `wait` says when the next attempt is made: the time that was planned may be over.
    attempts: attempts.map((attempt) => attemptOf({ ...attempt, nextAttemptAt: null })),
  };
}

type Outcome = 'delivered' | 'waiting' | 'failed' | { reason: MissReason };

/** The outcome that the rows of the task record; undefined without rows. */
function recordedOutcome(
  { state }: EndpointOfEvent,
  latest: string | undefined,
): Outcome | undefined {
  if (state === 'dead') return 'failed';
  if (state !== null) return 'waiting';
  if (latest === undefined) return undefined;
  if (latest === 'dropped') return { reason: 'inactive' };
  if (latest === 'retry') return 'waiting';
  return latest === 'delivered' ? 'delivered' : 'failed';
}

/** By this time every task of an event has a row. */
const queuedMs = 24 * 3_600_000;

/** The decision of fan-out about an event of which the endpoint has no record. */
function unrecordedOutcome({ event }: TenantEvent, endpoint: EndpointOfEvent): Outcome {
  const reason = missReason(event, endpoint);
  if (reason !== undefined) return { reason };
  const at = Date.parse(event.timestamp);
  const isChanged =
    endpoint.updatedAt !== endpoint.createdAt && Date.parse(endpoint.updatedAt) > at;
  return isChanged || Date.now() - at > queuedMs ? { reason: 'not_recorded' } : 'waiting';
}

function ended(outcome: Exclude<Outcome, 'waiting'>) {
  if (typeof outcome === 'string')
    return { receives: true, reason: '', state: outcome, message: endMessages[outcome] };
  const { reason } = outcome;
  return { receives: false, reason, state: 'not_sent', message: missMessages[reason] };
}

async function waiting(
  { broker, schedules }: ExplainDeps,
  { tenant }: TenantEvent,
  row: EndpointOfEvent,
) {
  const wait: Wait =
    row.state === null ? { for: await lanePlace(broker, tenant, row.id) } : waitOf(row);
  return {
    receives: true,
    reason: '',
    state: 'waiting',
    message: waitMessages[wait.for],
    wait: {
      for: wait.for,
      ...(wait.until !== undefined && { until: timeOf(wait.until) }),
      attempt: row.attempt ?? 1,
      lastAttempt: (row.firstAttempt ?? 1) + schedules.webhook.length - 1,
    },
  };
}

/** Where a task waits that only the broker has. */
async function lanePlace(
  broker: ExplainDeps['broker'],
  tenant: string,
  endpoint: string,
): Promise<'quota' | 'queue'> {
  const oldest = await broker
    .oldest('TASK', `task.slow.${tenant}.${endpoint}`)
    .catch(() => undefined);
  return oldest ? 'quota' : 'queue';
}
