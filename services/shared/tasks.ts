import type { Broker } from './broker.ts';
import { createId } from './ids.ts';
import { type KeyRing, openForPurpose, sealForPurpose } from './seal.ts';

// A task is an internal operation that waits in the queue: its body is the operation's own documented
// JSON request, so the worker finds the operation by name and calls the same handler the gateway would.

/** Task operations and the lane each travels in. The lane is the second word of the subject. */
export const taskLanes = {
  Account_Task_SendEmailVerification: 'task.email.verification',
  Account_Task_SendPasswordReset: 'task.email.reset',
  Account_Task_SendNotice: 'task.email.notice',
  TenantInvitations_Task_SendTenantInvitation: 'task.email.invitation',
  Webhooks_Deliver: 'task.webhook',
  Chat_Deliver: 'task.chat',
} as const;

export type TaskOperation = keyof typeof taskLanes;

export type Task = {
  id: string;
  operation: TaskOperation;
  /** The documented JSON request; a `Token` in it is sealed. */
  request: Record<string, unknown>;
  /** What the work needs besides, e.g. a mail's locale and the token's expiry. */
  extra: Record<string, string>;
};

export const taskHeaders = {
  operation: 'Bailiwick-Operation',
  task: 'Bailiwick-Task',
  attempt: 'Bailiwick-Attempt',
  enqueued: 'Bailiwick-First-Enqueued',
  event: 'Bailiwick-Event',
  extra: 'Bailiwick-Extra',
} as const;

/** A task for a mail that carries a one-time token. The token is readable nowhere between here and the mail. */
export function mailTask(operation: TaskOperation, ring: KeyRing, request: { Email: string; Token: string }, extra: Record<string, string>): Task {
  const id = createId('tsk');
  return { id, operation, request: { Email: request.Email, Token: sealTaskToken(ring, request) }, extra };
}

/** A task for a mail without a token. */
export function noticeTask(kind: string, email: string, extra: Record<string, string> = {}): Task {
  return { id: createId('tsk'), operation: 'Account_Task_SendNotice', request: { Email: email, Kind: kind }, extra };
}

const sealedMark = 'sealed:';

function sealTaskToken(ring: KeyRing, { Email, Token }: { Email: string; Token: string }): string {
  return sealedMark + sealForPurpose(ring, 'task-token', Token, [Email]);
}

/** The plain token of a task's request, whether it was sealed or (in a direct call) came plain. */
export function openTaskToken(ring: KeyRing, email: string, token: string): string {
  return token.startsWith(sealedMark) ? openForPurpose(ring, 'task-token', token.slice(sealedMark.length), [email]) : token;
}

/** Publishes one attempt of a task. The broker drops a repetition of the same attempt. */
export async function publishTask(broker: Broker, task: Task, context: { tenant: string; event: string; attempt?: number; enqueued?: string }): Promise<void> {
  const attempt = context.attempt ?? 1;
  await broker.publish(subjectOf(task, context.tenant), JSON.stringify(task.request), `${task.id}:${attempt}`, {
    [taskHeaders.operation]: task.operation,
    [taskHeaders.task]: task.id,
    [taskHeaders.attempt]: String(attempt),
    [taskHeaders.enqueued]: context.enqueued ?? new Date().toISOString(),
    [taskHeaders.event]: context.event,
    [taskHeaders.extra]: JSON.stringify(task.extra),
  });
}

function subjectOf(task: Task, tenant: string): string {
  const lane = taskLanes[task.operation];
  return lane.startsWith('task.email') ? lane : `${lane}.${tenant}.${String(task.request['Endpoint'])}`;
}
