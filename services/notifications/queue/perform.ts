import { invalid } from '@bailiwick/errors';
import { type BrokerMessage } from '@bailiwick/events';
import { decodeJson } from '@bailiwick/proto/json/decode.ts';
import { operations } from '@bailiwick/proto/registry.ts';
import { type Dispatch } from '@bailiwick/rpc';
import { createTaskCaller, type TaskContext } from '../sending/task-context.ts';
import { type Attempt, expiryOf } from './attempt.ts';
import {
  type AttemptOutcome,
  outcomeOfError,
  outcomeOfResponse,
  outcomeOfSize,
} from './attempt-outcome.ts';
import type { Store } from './store.ts';

// Runs the operation of a task. Internal errors do not count as attempts: the task waits for them.

/** An attempt ends by the time limits of its own sending. */
const never = new AbortController().signal;

/** Calls the task's operation as the gateway would. Returns undefined after an internal error. */
export async function perform(
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
      message: 'the task has expired',
    };
  const tooLarge = outcomeOfSize(attempt.task, attempt.request);
  if (tooLarge) return tooLarge;
  try {
    const operation = operations.get(attempt.operation);
    if (!operation) throw new Error(`${attempt.operation} is not in the registry`);
    // A process of a newer version may have written the task.
    const { message: request, problems } = decodeJson(operation.method.input, attempt.request, {
      unknownKeys: 'ignore',
    });
    if (problems.length > 0) throw invalid(problems);
    const response = await dispatch(
      operation.method,
      request,
      createTaskCaller(context),
      () => never,
    );
    return outcomeOfResponse(attempt.task, response);
  } catch (error) {
    return outcomeOfError(attempt.task, error);
  }
}

/**
 * How often a message is returned to the broker after internal errors. Then it waits as a row,
 * because unacknowledged messages count against the lane.
 */
const triesBeforeDeferral = 5;
const internalErrorWaitMs = 30_000;
const mostDeferrals = (24 * 3_600_000) / internalErrorWaitMs;

const deferralsOf = ({ extra }: Attempt): number => Number(extra['deferrals'] ?? 0);

export async function deferOrRetry(
  store: Store,
  attempt: Attempt,
  message: BrokerMessage,
): Promise<void> {
  if (message.deliveries < triesBeforeDeferral) return message.retry(500 * 2 ** message.deliveries);
  // If the row cannot be written either, the database or the key service is down, and the broker
  // keeps the message.
  const deferred = {
    ...attempt,
    extra: { ...attempt.extra, deferrals: String(deferralsOf(attempt) + 1) },
  };
  const isKept = await store.defer(deferred, new Date(Date.now() + internalErrorWaitMs)).then(
    () => true,
    () => false,
  );
  return isKept ? message.ack() : message.retry(internalErrorWaitMs);
}

// Internal errors do not count. An error that persists for a day is a defect that this task
// triggers: it counts then, so that the task ends as a dead letter.
export function failAfterDeferrals(attempt: Attempt): AttemptOutcome | undefined {
  if (deferralsOf(attempt) < mostDeferrals) return undefined;
  return {
    delivery: attempt.task,
    status: 'retry',
    statusCode: 0,
    error: '',
    message: 'the task could not be attempted',
  };
}
