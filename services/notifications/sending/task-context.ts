import { queueWorker } from '@bailiwick/call';
import { type Caller, CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { permissionBitmap } from '@bailiwick/proto/permissions.ts';
import { create } from '@bufbuild/protobuf';

// The context of a task's attempt for its handler. It is not part of the request, which is the
// documented one. Each attempt has its own caller, so the context is looked up by the caller.

export type TaskContext = {
  /** The task's id; empty in a direct call. */
  id: string;
  /** From 1. */
  attempt: number;
  /** When the task was created; not set in a direct call. */
  enqueued?: Date;
  /** Values that the work needs besides its request, e.g. a mail's locale. */
  extra: Readonly<Record<string, string>>;
  /** Set by the handler if the receiver asked for a delay (Retry-After). */
  retryAfterMs?: number | undefined;
};

const contexts = new WeakMap<Caller, TaskContext>();
const deliverBits = permissionBitmap((permission) => permission === 'iam.internal.deliver');

/** The caller of one attempt: the worker, with the single permission it needs. */
export function createTaskCaller(context: TaskContext): Caller {
  const caller = create(CallerSchema, {
    type: 'worker',
    id: queueWorker,
    platformPermissions: deliverBits,
    requestId: context.id,
  });
  contexts.set(caller, context);
  return caller;
}

/** The context of a call. A direct call is the first attempt of a task without an id. */
export const taskOf = (caller: Caller): TaskContext =>
  contexts.get(caller) ?? { id: '', attempt: 1, extra: {} };
