import type { Broker } from '@bailiwick/broker';
import { createBatch, timeOf } from '@bailiwick/contract';
import type { DeliveryExplanationSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/explanations_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type FanoutEvent, missReason } from '../fanout/event.ts';
import { attemptOf } from '../messages/attempts.ts';
import type { Schedules } from '../queue/schedule.ts';
import { type EventDeps, findEvent } from './event.ts';
import { endMessages, type MissReason, missMessages, waitMessages } from './messages.ts';
import { type EndpointOfEvent, listEndpointsOfEvent } from './queries.ts';
import { type Wait, waitOf } from './wait.ts';

export type ExplainDeps = EventDeps & {
  broker: Pick<Broker, 'oldest'>;
  schedules: Pick<Schedules, 'webhook'>;
};

export type Explanation = MessageInitShape<typeof DeliveryExplanationSchema> & {
  receives: boolean;
};

type EventFate = { event: FanoutEvent; endpoints: Explanation[] };

/** How many questions to the broker one explanation asks at once. */
const atOnce = 8;

/**
 * The fate of an event at the webhook endpoints of a tenant, or at one of them. Returns undefined
 * for an event that is unknown in this tenant.
 */
export async function explainDelivery(
  deps: ExplainDeps,
  { tenant, event: id, endpoint }: { tenant: string; event: string; endpoint: string | null },
): Promise<EventFate | undefined> {
  const event = await findEvent(deps, tenant, id);
  if (!event) return undefined;
  const { database, broker, schedules } = deps;
  const rows = await listEndpointsOfEvent(database, tenant, { id, type: event.type }, endpoint);
  const placeOf = createBatch(
    (endpoints: readonly string[]) =>
      Promise.all(endpoints.map((one) => lanePlace(broker, tenant, one))),
    { size: atOnce, atOnce: 1 },
  );
  const explain = async (row: EndpointOfEvent): Promise<Explanation> => {
    const outcome = recordedOutcome(row) ?? unrecordedOutcome(event, row);
    return {
      endpoint: row.id,
      name: row.name,
      ...(outcome === 'waiting'
        ? waitFields(
            schedules,
            row,
            row.state === null ? { for: await placeOf(row.id) } : waitOf(row),
          )
        : endFields(outcome)),
      // `wait` says when the next attempt is made: the time that was planned may be over.
      attempts: row.attempts.map((attempt) => attemptOf({ ...attempt, nextAttemptAt: null })),
    };
  };
  return { event, endpoints: await Promise.all(rows.map(explain)) };
}

type Outcome = 'delivered' | 'waiting' | 'failed' | 'stopped' | { reason: MissReason };

/** The outcome that the rows of the task record; undefined without rows. */
function recordedOutcome({ state, attempts }: EndpointOfEvent): Outcome | undefined {
  const latest = attempts.at(-1)?.status;
  if (state === 'dead') return 'failed';
  if (state !== null) return 'waiting';
  if (latest === undefined) return undefined;
  // The receiver knows a message that was sent before the endpoint was switched off.
  if (latest === 'dropped')
    return attempts.some(({ status }) => status !== 'dropped') ? 'stopped' : { reason: 'inactive' };
  if (latest === 'retry') return 'waiting';
  return latest === 'delivered' ? 'delivered' : 'failed';
}

/** By this time every task of an event has a row. */
const queuedMs = 24 * 3_600_000;

/** The decision of fan-out about an event of which the endpoint has no record. */
function unrecordedOutcome(event: FanoutEvent, endpoint: EndpointOfEvent): Outcome {
  const reason = missReason(event, endpoint);
  if (reason !== undefined) return { reason };
  const at = Date.parse(event.timestamp);
  const isChanged =
    endpoint.updatedAt !== endpoint.createdAt && Date.parse(endpoint.updatedAt) > at;
  return isChanged || Date.now() - at > queuedMs ? { reason: 'not_recorded' } : 'waiting';
}

function endFields(outcome: Exclude<Outcome, 'waiting'>) {
  if (typeof outcome === 'string')
    return { receives: true, reason: '', state: outcome, message: endMessages[outcome] };
  const { reason } = outcome;
  return { receives: false, reason, state: 'not_sent', message: missMessages[reason] };
}

function waitFields(schedules: ExplainDeps['schedules'], row: EndpointOfEvent, wait: Wait) {
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
