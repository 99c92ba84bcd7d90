import type { Broker } from '@bailiwick/broker';
import { createId, type TaskOperation, taskLanes } from '@bailiwick/contract';
import { type KeyRing, openForPurpose, sealForPurpose } from '@bailiwick/keys';

// A task is an internal operation in the queue (packages/contract/tasks.ts lists them). Its body is the operation's documented JSON
// request, so the worker finds the operation by name and calls the same handler as the gateway
// would.

/** An internal operation in the queue. */
export type Task = {
  id: string;
  operation: TaskOperation;
  /** The documented JSON request; a `Token` in it is sealed. */
  request: Record<string, unknown>;
  /** Further data for the work, e.g. a mail's locale and the token's expiry. */
  extra: Record<string, string>;
};

/** The headers of a task's message. */
export const taskHeaders = {
  operation: 'Bailiwick-Operation',
  task: 'Bailiwick-Task',
  attempt: 'Bailiwick-Attempt',
  first: 'Bailiwick-First-Attempt',
  enqueued: 'Bailiwick-First-Enqueued',
  event: 'Bailiwick-Event',
  extra: 'Bailiwick-Extra',
} as const;

/**
 * The header of the only message of an event or of an attempt that has been published so far.
 * Republished rows, and rows that another process may have published, have none.
 */
export const firstPublicationHeader = 'Bailiwick-First-Publication';

/** The header of an event whose tasks are published by the process that published the event. */
export const tasksMadeHeader = 'Bailiwick-Tasks-Made';

/** A task for a mail with a one-time token. The token stays sealed until the mail is written. */
export function mailTask(
  operation: TaskOperation,
  ring: KeyRing,
  request: { Email: string; Token: string },
  extra: Record<string, string>,
): Task {
  const id = createId('tsk');
  return {
    id,
    operation,
    request: { Email: request.Email, Token: sealTaskToken(ring, request) },
    extra,
  };
}

/** A task for a mail without a token. */
export function noticeTask(kind: string, email: string, extra: Record<string, string> = {}): Task {
  return {
    id: createId('tsk'),
    operation: 'Account_Task_SendNotice',
    request: { Email: email, Kind: kind },
    extra,
  };
}

type Recipient = { email: string; locale: string; status: string };

/** The mails without a token to those of these users who are active, each in the user's language. */
export const noticeTasks = (
  kind: string,
  users: readonly Recipient[],
  extra: Record<string, string>,
): Task[] =>
  users
    .filter(({ status }) => status === 'active')
    .map(({ email, locale }) => noticeTask(kind, email, { locale, ...extra }));

const sealedMark = 'sealed:';

function sealTaskToken(ring: KeyRing, { Email, Token }: { Email: string; Token: string }): string {
  return sealedMark + sealForPurpose(ring, 'task-token', Token, [Email]);
}

/** The plain token of a task's request, which is sealed, or plain in a direct call. */
export function openTaskToken(ring: KeyRing, email: string, token: string): string {
  return token.startsWith(sealedMark)
    ? openForPurpose(ring, 'task-token', token.slice(sealedMark.length), [email])
    : token;
}

/**
 * Lanes beside the one of a delivery's kind: for slow deliveries, which would delay others, and for
 * manual replays.
 */
type ByLane = 'slow' | 'replay';

/** Data of one attempt, in its message beside the task itself. */
export type TaskMessage = {
  tenant: string;
  event: string;
  /** From 1. */
  attempt?: number;
  /** The first attempt of the schedule: 1, or a later one if the task was a dead letter before. */
  first?: number;
  enqueued?: string;
  lane?: string;
  /** Whether no message of the attempt has been published before. */
  isFirstPublication?: boolean;
  /** Distinguishes messages of the same attempt, which the broker would drop as duplicates. */
  unique?: string;
};

/** Publishes one attempt of a task. The broker drops a duplicate of the same attempt. */
export async function publishTask(broker: Broker, task: Task, message: TaskMessage): Promise<void> {
  const { event, attempt = 1, first = 1, enqueued = new Date().toISOString(), unique } = message;
  const { isFirstPublication = false } = message;
  await broker.publish(
    subjectOf(task, message),
    JSON.stringify(task.request),
    `${task.id}:${attempt}${unique === undefined ? '' : `:${unique}`}`,
    {
      [taskHeaders.operation]: task.operation,
      [taskHeaders.task]: task.id,
      [taskHeaders.attempt]: String(attempt),
      ...(first === 1 ? {} : { [taskHeaders.first]: String(first) }),
      [taskHeaders.enqueued]: enqueued,
      [taskHeaders.event]: event,
      [taskHeaders.extra]: JSON.stringify(task.extra),
      ...(isFirstPublication && { [firstPublicationHeader]: 'true' }),
    },
  );
}

const isByLane = (lane: string): lane is ByLane => lane === 'slow' || lane === 'replay';

function subjectOf(task: Task, { tenant, lane = '' }: TaskMessage): string {
  const own = taskLanes[task.operation];
  if (own.startsWith('task.email')) return own;
  const place = `${tenant || '_'}.${String(task.request['Endpoint'])}`;
  return `${isByLane(lane) ? `task.${lane}` : own}.${place}`;
}
