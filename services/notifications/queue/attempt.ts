import { createHash } from 'node:crypto';
import { type BrokerMessage } from '@bailiwick/broker';
import { type TaskOperation, taskLanes } from '@bailiwick/contract';
import { firstPublicationHeader, taskHeaders } from '@bailiwick/outbox';

/** One attempt of a task, as the broker delivered it. */
export type Attempt = {
  task: string;
  /** From 1. */
  number: number;
  /** The attempt with which the retry schedule began. */
  first: number;
  operation: TaskOperation;
  /** The lane of its retries. The slow lane is for one attempt only. */
  lane: string;
  event: string;
  enqueued: Date;
  /**
   * Whether no message of the attempt had been published before this one. Without a readable time
   * it is not believed.
   */
  isFirstPublication: boolean;
  extra: Record<string, string>;
  /** The request as it was sent. */
  text: string;
  /** The parsed request; empty if the text is not a JSON object. */
  request: Record<string, unknown>;
  /** Set for deliveries to endpoints; empty for mails. */
  tenant: string;
  endpoint: string;
  type: string;
};

/**
 * Reads a task message. Returns undefined if this version does not know the operation, or if a
 * value is missing, malformed or not storable in PostgreSQL.
 */
export function readAttempt(message: BrokerMessage): Attempt | undefined {
  const operation = message.header(taskHeaders.operation);
  const first = message.header(taskHeaders.first);
  const numbers = {
    number: Number(message.header(taskHeaders.attempt)),
    first: first === '' ? 1 : Number(first),
  };
  const extra = extraOf(message.header(taskHeaders.extra));
  if (!isTaskOperation(operation) || !extra || !Object.values(numbers).every(isAttemptNumber))
    return undefined;
  const text = message.text();
  const request = objectOf(text) ?? {}; // an empty request fails validation, which dead-letters the task
  const textOf = (name: string) => (typeof request[name] === 'string' ? request[name] : '');
  const task = message.header(taskHeaders.task);
  const enqueued = dateOf(message.header(taskHeaders.enqueued));
  const names = {
    event: message.header(taskHeaders.event),
    tenant: textOf('Tenant'),
    endpoint: textOf('Endpoint'),
    type: textOf('Type'),
  };
  if (task === '' || ![task, ...Object.values(names)].every(isStorable)) return undefined;
  return {
    task,
    ...numbers,
    operation,
    lane: message.subject.startsWith('task.replay.') ? 'replay' : laneOf(operation),
    enqueued: enqueued ?? new Date(),
    isFirstPublication: enqueued !== undefined && message.header(firstPublicationHeader) !== '',
    extra,
    text,
    request,
    ...names,
  };
}

/** An attempt as its row stores it. This version may not know its operation. */
export type RecordedAttempt = Omit<Attempt, 'operation' | 'request' | 'isFirstPublication'> & {
  operation: string;
};

/**
 * The recorded attempt of an unreadable message. It names no endpoint, so that no replay sends it,
 * and no real task id, because another message may have the same one.
 */
export function unreadableAttempt(message: BrokerMessage, lane: string): RecordedAttempt {
  const [tenant = ''] = /\btnt_[0-9a-z]{26}\b/.exec(message.subject) ?? [];
  const operation = message.header(taskHeaders.operation);
  const text = message.text();
  const task = `unreadable.${createHash('sha256').update(`${message.id}\n${text}`).digest('base64url')}`;
  const identity = {
    operation: isStorable(operation) ? operation : '',
    lane,
    event: '',
    tenant,
    endpoint: '',
    type: '',
  };
  return {
    ...identity,
    task,
    number: message.deliveries,
    first: 1,
    enqueued: new Date(),
    extra: {},
    text,
  };
}

/** When the task expires, undefined if it does not. */
export const expiryOf = ({ extra }: Attempt): Date | undefined => dateOf(extra['expiresAt'] ?? '');

const isTaskOperation = (name: string): name is TaskOperation => Object.hasOwn(taskLanes, name);

/** The lane of an operation: the second part of its subject. */
const laneOf = (operation: TaskOperation): string => taskLanes[operation].split('.')[1] ?? '';

function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a number fits PostgreSQL's int. */
const isAttemptNumber = (number: number): boolean =>
  Number.isInteger(number) && number >= 1 && number < 2 ** 31;

/** Whether PostgreSQL can store and index a text: it rejects NUL and long keys. */
const isStorable = (text: string): boolean => text.length <= 512 && !text.includes('\0');

/**
 * The extra values; empty without the header. Returns undefined if they cannot be read or stored.
 */
function extraOf(header: string): Record<string, string> | undefined {
  const values = header === '' ? {} : objectOf(header);
  if (!values) return undefined;
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
  return texts.some((pair) => pair.join('').includes('\0')) ? undefined : Object.fromEntries(texts);
}
