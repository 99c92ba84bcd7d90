import { type Caller, CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { permissionBitmap } from '@bailiwick/proto/permissions.ts';
import { queueWorker } from '@bailiwick/shared/caller.ts';
import { create } from '@bufbuild/protobuf';

// What a task's handler knows of its attempt besides the request, which is the documented one and has no room
// for it. Each attempt has a caller of its own, so the caller is what the rest hangs on.

export type TaskContext = {
  /** The task's id; empty in a direct call. */
  id: string;
  /** From 1. */
  attempt: number;
  /** When the task came to be; not in a direct call. */
  enqueued?: Date;
  /** What the work needs besides its request, e.g. a mail's locale. */
  extra: Readonly<Record<string, string>>;
  /** Set by the handler where the receiver asked to be left alone for a while. */
  retryAfterMs?: number | undefined;
};

const contexts = new WeakMap<Caller, TaskContext>();
const deliverBits = permissionBitmap((permission) => permission === 'iam.internal.deliver');

/** The caller of one attempt: the worker, with the one permission it needs. */
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

/** The attempt a call belongs to. A direct call is the first attempt of a task that nobody knows. */
export const taskOf = (caller: Caller): TaskContext =>
  contexts.get(caller) ?? { id: '', attempt: 1, extra: {} };
