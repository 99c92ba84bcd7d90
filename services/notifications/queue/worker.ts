import { type Broker, type BrokerMessage } from '@bailiwick/broker';
import { publishTask } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import type { Health } from '../health/health.ts';
import type { EndpointState } from '../health/queries.ts';
import { type Attempt, expiryOf, readAttempt, unreadableAttempt } from './attempt.ts';
import { involvesReceiver } from './attempt-outcome.ts';
import { createFinish, type Finish } from './finish.ts';
import { createFlowControl, type FlowControlDeps } from './flow-control.ts';
import { attempts, inFlight, parked, spilled } from './metrics.ts';
import { deferOrRetry, failAfterDeferrals, perform, type TaskDeps } from './perform.ts';
import { planNext, recordedStatus } from './plan.ts';
import { type Schedules, scheduleOf } from './schedule.ts';
import type { SlotPool } from './slots.ts';
import { type Finished, resultsAtOnce, type Store } from './store.ts';

/** One kind of work. All processes that take it share one durable consumer. */
export type Lane = { name: string; concurrency: number };

export type WorkerDeps = FlowControlDeps &
  TaskDeps & {
    slotPool: SlotPool;
    broker: Broker;
    store: Store;
    health: Health;
    schedules: Schedules;
    log: Log;
  };

/** The longest pause that a receiver's Retry-After causes. Its task may wait longer. */
const longestPauseMs = 3_600_000;

/** The delay of a returned message, so that the stopping process does not receive it again. */
const stoppedMs = 1000;

// The broker redelivers the work of a killed process after this time; live processes report
// progress before that.
const ackWaitMs = 10_000;

/** How many attempts may wait in a lane for each of its slots. */
const placesPerSlot = 64;

/** A task with the largest body finds a place in the smallest lane. */
const leastPlaces = 256;

/**
 * How many more attempts a lane receives than may run and wait, so that it can move those for
 * which there is no place.
 */
const passing = 64;

/**
 * Consumes a lane's attempts and brings each to an end: done, waiting for the next one, parked, or
 * dead-lettered. The returned function rejects attempts that have not begun; running ones finish
 * before the broker connection closes.
 */
export function startWorker(deps: WorkerDeps, { name, concurrency }: Lane): () => Promise<void> {
  const isSlowLane = name === 'slow';
  // Mails wait without places. A mail that was sent needs no slot while its result is stored.
  const places = name === 'email' ? 0 : Math.max(leastPlaces, placesPerSlot * concurrency);
  const waiting = name === 'email' ? 3 * concurrency : places + passing;
  const slots = deps.slotPool.lane({ total: concurrency, places });
  const decide = createFlowControl(deps, slots, isSlowLane);
  const finish = createFinish(deps.store, Math.max(concurrency, resultsAtOnce));
  const options = {
    stream: 'TASK',
    durable: `lane-${name}`,
    subject: `task.${name}.>`,
    concurrency: concurrency + waiting,
    ackWaitMs,
  } as const;

  async function handle(message: BrokerMessage): Promise<void> {
    const attempt = readAttempt(message);
    if (!attempt) return await retryUnreadable(deps, message, { lane: name, finish });
    if (!isFirstDelivery(message, attempt) && (await deps.store.isDone(attempt)))
      return message.ack();
    const decision = await decide(attempt);
    if (decision.go === 'stopped') return message.retry(stoppedMs);
    if (decision.go === 'spill') {
      await spill(deps.broker, attempt, message.id);
      return message.ack();
    }
    if (decision.go === 'park') {
      await deps.store.park(attempt, decision.release);
      parked.add({ lane: name });
      return message.ack();
    }
    inFlight.change(1, { lane: name });
    const end = once(() => {
      inFlight.change(-1, { lane: name });
      decision.free();
    });
    try {
      const { endpointState } = decision;
      await makeAttempt(deps, attempt, message, { endpointState, end, finish });
    } finally {
      end();
    }
  }

  deps.broker.consume(options, handle);
  return () => Promise.resolve(slots.close());
}

/** By how much the clocks of processes may differ. */
const clocksMs = 60_000;

/**
 * How old an attempt may be whose message is known to be the only one. The broker drops another one
 * for ten minutes.
 */
const onlyMessageMs = 10 * 60_000 - 2 * clocksMs;

/**
 * Whether no process can have made the attempt before: it need not be looked up. A broker that
 * starts again has forgotten the tasks that it delivered, so the attempt must be younger than the
 * connection.
 */
function isFirstDelivery(
  { newSince }: BrokerMessage,
  { number, enqueued, isFirstPublication }: Attempt,
): boolean {
  if (newSince === undefined || !isFirstPublication || number !== 1) return false;
  const ageMs = Date.now() - enqueued.getTime();
  const isYounger = enqueued.getTime() >= newSince.getTime() + clocksMs;
  return isYounger && ageMs >= 0 && ageMs < onlyMessageMs;
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/** An attempt that holds a slot. `end` frees the slot, at the first call. */
type RunningAttempt = { endpointState: EndpointState | undefined; end: () => void; finish: Finish };

/** Makes an attempt, and settles its outcome. */
async function makeAttempt(
  deps: WorkerDeps,
  attempt: Attempt,
  message: BrokerMessage,
  { endpointState, end, finish }: RunningAttempt,
): Promise<void> {
  const { store, schedules, log } = deps;
  const startedAt = new Date();
  const result = (await perform(deps, attempt)) ?? failAfterDeferrals(attempt);
  if (!result) return await deferOrRetry(store, attempt, message);

  const { retryAfterMs } = result;
  const plan = planNext({
    ...result.outcome,
    attempt: attempt.number - attempt.first + 1,
    schedule: scheduleOf(schedules, attempt.operation),
    expiresAt: expiryOf(attempt),
    retryAfterMs,
    now: new Date(),
    random: Math.random(),
  });
  const outcome = {
    ...result.outcome,
    status: recordedStatus(result.outcome.status, plan),
  };
  const finished = {
    attempt,
    outcome,
    plan,
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
  };
  const receiverState = endpointState && involvesReceiver(outcome) ? endpointState : undefined;
  if (receiverState) recordLatency(deps, finished);
  // The next attempt does not wait for the statement. After a failure it does, because the endpoint
  // may be paused then, and after a probe, until the endpoint's pause is over.
  const mayEndEarly =
    outcome.status === 'delivered' &&
    retryAfterMs === undefined &&
    (endpointState?.pauseMs ?? 0) === 0;
  await finish(finished, mayEndEarly ? end : undefined);
  message.ack();
  if (receiverState) await updateHealth(deps, finished, receiverState, retryAfterMs);
  attempts.add({ lane: attempt.lane, status: outcome.status, error: outcome.error });
  logAttempt(log, finished);
}

function recordLatency({ latency, slotPool }: WorkerDeps, finished: Finished): void {
  const { attempt, outcome, durationMs } = finished;
  if (outcome.status === 'dropped') return;
  const isDelivered = outcome.status === 'delivered';
  latency.record(attempt.endpoint, durationMs, isDelivered);
  slotPool.record(attempt.endpoint, durationMs, isDelivered);
}

async function updateHealth(
  { health, log }: WorkerDeps,
  { attempt, outcome }: Finished,
  endpointState: EndpointState,
  retryAfterMs: number | undefined,
): Promise<void> {
  const retryNotBefore =
    retryAfterMs === undefined
      ? undefined
      : new Date(Date.now() + Math.min(retryAfterMs, longestPauseMs));
  await health
    .update(attempt, endpointState, outcome, retryNotBefore)
    .catch((error: unknown) => log.warn('updating endpoint health failed', { error }));
}

/**
 * Returns an unreadable message to the broker: during an upgrade, a newer process may understand
 * it. After the last wait of the schedule it becomes a dead letter.
 */
async function retryUnreadable(
  { schedules, log }: WorkerDeps,
  message: BrokerMessage,
  { lane, finish }: { lane: string; finish: Finish },
): Promise<void> {
  const { subject, deliveries } = message;
  const wait = schedules.webhook[deliveries];
  if (wait !== undefined) {
    log.warn('a task cannot be read, retrying', { subject, deliveries, waitMs: wait });
    return message.retry(wait);
  }
  const attempt = unreadableAttempt(message, lane);
  const outcome = {
    delivery: attempt.task,
    status: 'failed',
    statusCode: 0,
    error: '',
    message: 'the task cannot be read',
  } as const;
  await finish({
    attempt,
    outcome,
    plan: { state: 'dead' },
    startedAt: new Date(),
    durationMs: 0,
  });
  message.ack();
  attempts.add({ lane, status: outcome.status, error: outcome.error });
  log.error('a task cannot be read, dead-lettered', {
    subject,
    deliveries,
    task: attempt.task,
    operation: attempt.operation,
  });
}

/**
 * Moves an attempt to the slow lane. If the process ends before it acknowledges the old message,
 * the broker drops the duplicate.
 */
async function spill(
  broker: Broker,
  { task, operation, request, extra, tenant, event, number, first, enqueued }: Attempt,
  id: string,
): Promise<void> {
  // An attempt may be moved more than once, if it was parked in between. Its message has another id
  // each time.
  const message = {
    tenant,
    event,
    attempt: number,
    first,
    enqueued: enqueued.toISOString(),
    lane: 'slow',
    unique: `after ${id}`,
  };
  await publishTask(broker, { id: task, operation, request, extra }, message);
  spilled.add({});
}

function logAttempt(log: Log, { attempt, outcome, plan, durationMs }: Finished): void {
  const { task, number, operation, tenant, endpoint, event, type, enqueued } = attempt;
  log.info('attempt', {
    task,
    attempt: number,
    operation,
    ...(endpoint === '' ? {} : { tenant, endpoint, type, delivery: outcome.delivery }),
    event,
    status: outcome.status,
    statusCode: outcome.statusCode,
    error: outcome.error || undefined,
    next: plan.state === 'waiting' ? plan.dueAt.toISOString() : plan.state,
    ms: durationMs,
    sinceEnqueuedMs: Date.now() - enqueued.getTime(),
  });
}
