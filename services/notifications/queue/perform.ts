import { type BrokerMessage } from '@bailiwick/broker';
import { decodeJson, operations, permissionBitmap, queueWorker } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import type { Pipeline } from '@bailiwick/pipeline';
import { type Caller, CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create, type Message } from '@bufbuild/protobuf';
import type { TaskAttempt, TaskResult, Tasks } from '../sending/task.ts';
import { type Attempt, expiryOf } from './attempt.ts';
import {
  type AttemptOutcome,
  outcomeOfError,
  outcomeOfResponse,
  outcomeOfSize,
} from './attempt-outcome.ts';
import type { Store } from './store.ts';

// Runs the operation of a task. Internal errors do not count as attempts: the task waits for them.

const deliverBits = permissionBitmap((permission) => permission === 'iam.internal.deliver');

/** The caller of an attempt: the worker, with the single permission that it needs. */
const workerOf = (taskId: string): Caller =>
  create(CallerSchema, {
    type: 'worker',
    id: queueWorker,
    platformPermissions: deliverBits,
    requestId: taskId,
  });

/** An attempt ends by the time limits of its own sending. */
const never = new AbortController().signal;

export type TaskDeps = { dispatch: Pipeline; tasks: Tasks };

type AttemptResult = { outcome: AttemptOutcome; retryAfterMs?: number | undefined };

/**
 * Makes an attempt at a task, with the checks that a call of its operation has. Returns undefined
 * after an internal error.
 */
export async function perform(
  deps: TaskDeps,
  attempt: Attempt,
): Promise<AttemptResult | undefined> {
  const expiresAt = expiryOf(attempt);
  if (expiresAt && expiresAt <= new Date())
    return {
      outcome: {
        delivery: attempt.task,
        status: 'dropped',
        statusCode: 0,
        error: '',
        message: 'the task has expired',
      },
    };
  const tooLarge = outcomeOfSize(attempt.task, attempt.request);
  if (tooLarge) return { outcome: tooLarge };
  try {
    const { response, retryAfterMs } = await runTask(deps, attempt);
    return { outcome: outcomeOfResponse(attempt.task, response), retryAfterMs };
  } catch (error) {
    const outcome = outcomeOfError(attempt.task, error);
    return outcome && { outcome };
  }
}

async function runTask(
  { dispatch, tasks }: TaskDeps,
  { task: id, operation: name, number, enqueued, extra, request: json }: Attempt,
): Promise<TaskResult<Message>> {
  const operation = operations.get(name);
  const task = operation && tasks.get(operation.method);
  if (!task) throw new Error(`${name} is no task`);
  // A process of a newer version may have written the task.
  const { message, problems } = decodeJson(operation.method.input, json, {
    unknownKeys: 'ignore',
  });
  if (problems.length > 0) throw invalid(problems);
  const attempt: TaskAttempt = { id, number, enqueued, extra };
  let retryAfterMs: number | undefined;
  const response = await dispatch(operation.method, message, workerOf(id), () => never, {
    handler: async (request, { signal }) => {
      const result = await task(request, attempt, signal);
      retryAfterMs = result.retryAfterMs;
      return result.response;
    },
  });
  return { response, retryAfterMs };
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
export function failAfterDeferrals(attempt: Attempt): AttemptResult | undefined {
  if (deferralsOf(attempt) < mostDeferrals) return undefined;
  return {
    outcome: {
      delivery: attempt.task,
      status: 'retry',
      statusCode: 0,
      error: '',
      message: 'the task could not be attempted',
    },
  };
}
