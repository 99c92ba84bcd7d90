import type { Call } from '@bailiwick/pipeline';
import type { DescMethodUnary, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf';

// A task is a function. The queue calls it for each attempt, and the handler of its operation for a
// direct call.

/** An attempt at a task. */
export type TaskAttempt = {
  /** The task's id; empty in a direct call. */
  id: string;
  /** From 1. */
  number: number;
  /** When the task was created; not set in a direct call. */
  enqueued?: Date;
  /** Values that the work needs besides its request, e.g. a mail's locale. */
  extra: Readonly<Record<string, string>>;
};

/** The first attempt of a task without an id. */
export const directCall: TaskAttempt = { id: '', number: 1, extra: {} };

/** The result of an attempt. */
export type TaskResult<Response> = {
  response: Response;
  /** The delay that the receiver asked for (Retry-After). */
  retryAfterMs?: number | undefined;
};

/** The task of an operation. */
export type Task<Method extends DescMethodUnary> = (
  request: MessageShape<Method['input']>,
  attempt: TaskAttempt,
  signal: AbortSignal,
) => Promise<TaskResult<MessageInitShape<Method['output']>>>;

type AnyTask = (
  request: Message,
  attempt: TaskAttempt,
  signal: AbortSignal,
) => Promise<TaskResult<Record<string, unknown>>>;

/** The tasks of a process, by operation. */
export type Tasks = ReadonlyMap<DescMethodUnary, AnyTask>;

/** An entry of Tasks. The type parameter makes the compiler compare the task with its operation. */
export const taskEntry = <Method extends DescMethodUnary>(
  method: Method,
  task: Task<Method>,
): readonly [DescMethodUnary, AnyTask] => [method, task as unknown as AnyTask];

/** The handler of a task's operation, for direct calls. */
export function directHandler<Method extends DescMethodUnary>(tasks: Tasks, method: Method) {
  const task = tasks.get(method) as Task<Method> | undefined;
  if (!task) throw new Error(`${method.name} has no task`);
  return async (request: MessageShape<Method['input']>, { signal }: Pick<Call, 'signal'>) =>
    (await task(request, directCall, signal)).response;
}
