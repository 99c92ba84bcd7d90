import { decodeJson } from '@bailiwick/proto/json/decode.ts';
import { operations } from '@bailiwick/proto/registry.ts';
import type { Broker, BrokerMessage } from '@bailiwick/shared/broker.ts';
import type { Dispatch } from '@bailiwick/shared/dispatch.ts';
import { invalid } from '@bailiwick/shared/errors.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { type Attempt, expiryOf, readAttempt } from './attempt.ts';
import { createTaskCaller, type TaskContext } from './context.ts';
import { attempts, inFlight } from './metrics.ts';
import { type AttemptOutcome, outcomeOfError, outcomeOfResponse } from './outcome.ts';
import { planNext } from './plan.ts';
import type { Schedule } from './schedule.ts';
import type { Finished, Store } from './store.ts';

/** One kind of work: all processes that take it share one durable consumer. */
export type Lane = { name: string; concurrency: number; schedule: Schedule };

export type WorkerDeps = { broker: Broker; dispatch: Dispatch; store: Store; log: Log };

// After a kill the broker waits this long before it hands the work to somebody else; whoever lives gives a sign in time.
const ackWaitMs = 10_000;
const signOfLifeMs = 3000;

/** Takes a lane's attempts from the broker and brings each to an end: done, waiting for the next one, or a dead letter. */
export function startWorker(deps: WorkerDeps, lane: Lane): void {
  const options = { stream: 'TASK', durable: `lane-${lane.name}`, subject: `task.${lane.name}.>`, concurrency: lane.concurrency, ackWaitMs } as const;
  deps.broker.consume(options, async (message) => {
    const sign = setInterval(() => message.working(), signOfLifeMs);
    inFlight.change(1, { lane: lane.name });
    try {
      await handle(deps, lane, message);
    } finally {
      inFlight.change(-1, { lane: lane.name });
      clearInterval(sign);
    }
  });
}

async function handle({ dispatch, store, log }: WorkerDeps, { schedule }: Lane, message: BrokerMessage): Promise<void> {
  const attempt = readAttempt(message);
  if (!attempt) {
    log.error('a task is unknown to this version and waits for another one', { subject: message.subject });
    return message.retry(30_000);
  }
  if (await store.isDone(attempt.task, attempt.number)) return message.ack();

  const startedAt = new Date();
  const context: TaskContext = { id: attempt.task, attempt: attempt.number, enqueued: attempt.enqueued, extra: attempt.extra };
  const outcome = (await perform(dispatch, attempt, context)) ?? givenUp(attempt, message.deliveries);
  if (!outcome) return message.retry(ourFaultWait(message.deliveries));

  const expiresAt = expiryOf(attempt);
  const plan = planNext({
    ...outcome,
    attempt: attempt.number,
    schedule,
    expiresAt,
    retryAfterMs: context.retryAfterMs,
    now: new Date(),
    random: Math.random(),
  });
  const finished = { attempt, outcome, plan, startedAt, durationMs: Date.now() - startedAt.getTime() };
  await finish(store, finished);
  await message.ack();
  attempts.add({ lane: attempt.lane, status: outcome.status, error: outcome.error });
  logAttempt(log, finished);
}

/** Calls the task's operation as the gateway would. undefined = it failed through a fault of ours. */
async function perform(dispatch: Dispatch, attempt: Attempt, context: TaskContext): Promise<AttemptOutcome | undefined> {
  const expiresAt = expiryOf(attempt);
  if (expiresAt && expiresAt <= new Date()) return { delivery: attempt.task, status: 'dropped', statusCode: 0, error: '', message: 'it has expired' };
  try {
    const operation = operations.get(attempt.operation);
    if (!operation) throw new Error(`${attempt.operation} is not in the registry`);
    const { message: request, problems } = decodeJson(operation.method.input, attempt.request);
    if (problems.length > 0) throw invalid(problems);
    const response = await dispatch(operation.method, request, createTaskCaller(context), new AbortController().signal);
    return outcomeOfResponse(attempt.task, response);
  } catch (error) {
    return outcomeOfError(attempt.task, error);
  }
}

const ourFaultWait = (deliveries: number) => Math.min(500 * 2 ** Math.min(deliveries, 10), 30_000);

// A fault of ours is not counted, but one that stays for hours is a defect that this task brings out: it is
// counted then, so that it ends as a dead letter instead of never.
function givenUp(attempt: Attempt, deliveries: number): AttemptOutcome | undefined {
  if (deliveries < 500) return undefined;
  return { delivery: attempt.task, status: 'retry', statusCode: 0, error: '', message: 'it could not be attempted' };
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
