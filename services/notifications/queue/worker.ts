import { decodeJson } from '@bailiwick/proto/json/decode.ts';
import { operations } from '@bailiwick/proto/registry.ts';
import type { Broker, BrokerMessage } from '@bailiwick/shared/broker.ts';
import type { Dispatch } from '@bailiwick/shared/dispatch.ts';
import { invalid } from '@bailiwick/shared/errors.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { publishTask } from '@bailiwick/shared/tasks.ts';
import type { Health } from '../endpoints/health.ts';
import type { Gate } from '../endpoints/queries.ts';
import { type AdmissionDeps, createAdmission } from './admission.ts';
import { type Attempt, expiryOf, readAttempt, unreadableAttempt } from './attempt.ts';
import { createTaskCaller, type TaskContext } from './context.ts';
import { attempts, inFlight, parked, spilled } from './metrics.ts';
import {
  type AttemptOutcome,
  isReceivers,
  outcomeOfError,
  outcomeOfResponse,
  outcomeOfSize,
} from './outcome.ts';
import { planNext, recordedStatus } from './plan.ts';
import { type Schedules, scheduleOf } from './schedule.ts';
import type { createSlotPool } from './slots.ts';
import type { Finished, Store } from './store.ts';

/** One kind of work: all processes that take it share one durable consumer. */
export type Lane = { name: string; concurrency: number };

export type WorkerDeps = AdmissionDeps & {
  laneOf: ReturnType<typeof createSlotPool>;
  broker: Broker;
  dispatch: Dispatch;
  store: Store;
  health: Health;
  schedules: Schedules;
  log: Log;
};

/** A receiver that asks for a rest gets this much at most; its task may wait longer. */
const longestRestMs = 3_600_000;

// After a kill the broker waits this long before it hands the work to somebody else; whoever lives gives a sign in time.
const ackWaitMs = 10_000;

/** So many of an endpoint's attempts wait in a lane for one of its slots. In the slow lane each may wait long. */
const room = { quick: 8, slow: 4 };

/**
 * Takes a lane's attempts from the broker and brings each to an end: done, waiting for the next one, kept back, or a dead letter.
 * The function it returns sends away those that have not begun; those that have are finished before the broker closes.
 */
export function startWorker(deps: WorkerDeps, { name, concurrency }: Lane): () => Promise<void> {
  const isSlowLane = name === 'slow';
  const slots = deps.laneOf({
    total: concurrency,
    room: isSlowLane ? room.slow : room.quick,
    isPatient: isSlowLane,
  });
  const admit = createAdmission(deps, slots, isSlowLane);
  // Besides those that run, as many may wait.
  const options = {
    stream: 'TASK',
    durable: `lane-${name}`,
    subject: `task.${name}.>`,
    concurrency: 2 * concurrency,
    ackWaitMs,
  } as const;

  async function handle(message: BrokerMessage): Promise<void> {
    const attempt = readAttempt(message);
    if (!attempt) return await setAside(deps, message, name);
    if (await deps.store.isDone(attempt)) return message.ack();
    const admission = await admit(attempt);
    if (admission.go === 'stopped') return message.retry(0);
    if (admission.go === 'spill') {
      await spill(deps.broker, attempt, message.id);
      return message.ack();
    }
    if (admission.go === 'park') {
      await deps.store.park(attempt, admission.release);
      parked.add({ lane: name });
      return message.ack();
    }
    inFlight.change(1, { lane: name });
    try {
      await make(deps, attempt, message, admission.gate);
    } finally {
      inFlight.change(-1, { lane: name });
      admission.free();
    }
  }

  deps.broker.consume(options, handle);
  return () => Promise.resolve(slots.close());
}

/** Makes an attempt, and settles what came of it. */
async function make(
  { dispatch, store, health, schedules, pace, log }: WorkerDeps,
  attempt: Attempt,
  message: BrokerMessage,
  gate?: Gate,
): Promise<void> {
  const startedAt = new Date();
  const context: TaskContext = {
    id: attempt.task,
    attempt: attempt.number,
    enqueued: attempt.enqueued,
    extra: attempt.extra,
  };
  const ended = (await perform(dispatch, attempt, context)) ?? givenUp(attempt);
  if (!ended) return await putOff(store, attempt, message);

  const plan = planNext({
    ...ended,
    attempt: attempt.number - attempt.first + 1,
    schedule: scheduleOf(schedules, attempt.operation),
    expiresAt: expiryOf(attempt),
    retryAfterMs: context.retryAfterMs,
    now: new Date(),
    random: Math.random(),
  });
  const outcome = { ...ended, status: recordedStatus(ended.status, plan) };
  const finished = {
    attempt,
    outcome,
    plan,
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
  };
  await finish(store, finished);
  await message.ack();
  if (gate && isReceivers(outcome)) {
    if (outcome.status !== 'dropped')
      pace.note(attempt.endpoint, finished.durationMs, outcome.status === 'delivered');
    const askedUntil =
      context.retryAfterMs === undefined
        ? undefined
        : new Date(Date.now() + Math.min(context.retryAfterMs, longestRestMs));
    await health
      .conclude(attempt, gate, outcome, askedUntil)
      .catch((error: unknown) => log.warn('nothing could be concluded of an attempt', { error }));
  }
  attempts.add({ lane: attempt.lane, status: outcome.status, error: outcome.error });
  logAttempt(log, finished);
}

/**
 * Hands back a message that cannot be read: during an upgrade, a newer process may know it. After the last wait of the schedule it
 * becomes a dead letter.
 */
async function setAside(
  { store, schedules, log }: WorkerDeps,
  message: BrokerMessage,
  lane: string,
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
  await finish(store, {
    attempt,
    outcome,
    plan: { state: 'dead' },
    startedAt: new Date(),
    durationMs: 0,
  });
  await message.ack();
  attempts.add({ lane, status: outcome.status, error: outcome.error });
  log.error('a task cannot be read, it is a dead letter now', {
    subject,
    deliveries,
    task: attempt.task,
    operation: attempt.operation,
  });
}

/** Hands an attempt to the slow lane. Where the process ends before the old message is acknowledged, the broker knows the new one already. */
async function spill(
  broker: Broker,
  { task, operation, request, extra, tenant, event, number, first, enqueued }: Attempt,
  id: string,
): Promise<void> {
  // An attempt may come by here more than once, kept back in between. Each time its message has another id.
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

/** Calls the task's operation as the gateway would. undefined = it failed through a fault of ours. */
async function perform(
  dispatch: Dispatch,
  attempt: Attempt,
  context: TaskContext,
): Promise<AttemptOutcome | undefined> {
  const expiresAt = expiryOf(attempt);
  if (expiresAt && expiresAt <= new Date())
    return {
      delivery: attempt.task,
      status: 'dropped',
      statusCode: 0,
      error: '',
      message: 'it has expired',
    };
  const refused = outcomeOfSize(attempt.task, attempt.request);
  if (refused) return refused;
  try {
    const operation = operations.get(attempt.operation);
    if (!operation) throw new Error(`${attempt.operation} is not in the registry`);
    // The task may come from a process of a newer version.
    const { message: request, problems } = decodeJson(operation.method.input, attempt.request, {
      unknownKeys: 'ignore',
    });
    if (problems.length > 0) throw invalid(problems);
    const response = await dispatch(
      operation.method,
      request,
      createTaskCaller(context),
      new AbortController().signal,
    );
    return outcomeOfResponse(attempt.task, response);
  } catch (error) {
    return outcomeOfError(attempt.task, error);
  }
}

/** A fault of ours gives the message back so often. Then it waits as a row: what the broker has handed out counts against the lane. */
const triesInHand = 5;
const ourFaultWaitMs = 30_000;
const mostDeferrals = (24 * 3_600_000) / ourFaultWaitMs;

const deferralsOf = ({ extra }: Attempt): number => Number(extra['deferrals'] ?? 0);

async function putOff(store: Store, attempt: Attempt, message: BrokerMessage): Promise<void> {
  if (message.deliveries < triesInHand) return message.retry(500 * 2 ** message.deliveries);
  // Where even that cannot be done, the database or the key service is away, and the broker is the one that keeps it.
  const deferred = {
    ...attempt,
    extra: { ...attempt.extra, deferrals: String(deferralsOf(attempt) + 1) },
  };
  const isKept = await store.defer(deferred, new Date(Date.now() + ourFaultWaitMs)).then(
    () => true,
    () => false,
  );
  return isKept ? message.ack() : message.retry(ourFaultWaitMs);
}

// A fault of ours is not counted, but one that stays for a day is a defect that this task brings out: it is
// counted then, so that it ends as a dead letter instead of never.
function givenUp(attempt: Attempt): AttemptOutcome | undefined {
  if (deferralsOf(attempt) < mostDeferrals) return undefined;
  return {
    delivery: attempt.task,
    status: 'retry',
    statusCode: 0,
    error: '',
    message: 'it could not be attempted',
  };
}

// What was attempted is not attempted again only because the database was away for a moment.
async function finish(store: Store, finished: Finished): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.finish(finished);
    } catch (error) {
      if (tries === 30) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
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
