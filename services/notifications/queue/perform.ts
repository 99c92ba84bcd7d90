import { type BrokerMessage } from '@bailiwick/broker';
import { decodeJson, findProblems, type Operation, operations } from '@bailiwick/contract';
import { type ErrorCode, invalid, toServiceError } from '@bailiwick/errors';
import { inSpan, type Log } from '@bailiwick/process';
import { answerSpan, countOperation, rpcName } from '@bailiwick/wire';
import type { Message } from '@bufbuild/protobuf';
import type { TaskResult, Tasks } from '../sending/task.ts';
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

export type TaskDeps = { tasks: Tasks; log: Log };

type AttemptResult = { outcome: AttemptOutcome; retryAfterMs?: number | undefined };

/**
 * Makes an attempt at a task, whose request is checked as in a call of its operation. Returns
 * undefined after an internal error.
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
  { tasks, log }: TaskDeps,
  { task: id, operation: name, number, enqueued, extra, request: json }: Attempt,
): Promise<TaskResult<object>> {
  const operation = operations.get(name);
  const task = operation && tasks.get(operation.method);
  if (!task) throw new Error(`${name} is no task`);
  const { method } = operation;
  const started = performance.now();
  let code: ErrorCode | 'ok' = 'ok';
  return inSpan(rpcName(method), answerSpan(method, { requestId: id }), async () => {
    try {
      const request = readRequest(operation, json);
      return await task(request, { id, number, enqueued, extra }, never);
    } catch (thrown) {
      const error = toServiceError(thrown);
      code = error.code;
      if (code === 'internal' || code === 'unavailable')
        log.error(`${name} failed`, { error: thrown, requestId: id });
      throw error;
    } finally {
      countOperation(name, code, (performance.now() - started) / 1000);
    }
  });
}

/** The request of a task. @throws invalid_argument */
function readRequest({ method }: Operation, json: Record<string, unknown>): Message {
  // A process of a newer version may have written the task.
  const { message, problems } = decodeJson(method.input, json, { unknownKeys: 'ignore' });
  if (problems.length > 0) throw invalid(problems);
  const failures = findProblems(method.input, message);
  if (failures.length > 0) throw invalid(failures);
  return message;
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
