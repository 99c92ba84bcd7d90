import type { BrokerMessage } from '@bailiwick/shared/broker.ts';
import { type TaskOperation, taskHeaders, taskLanes } from '@bailiwick/shared/tasks.ts';

/** One attempt of a task, as the broker handed it out. */
export type Attempt = {
  task: string;
  /** From 1. */
  number: number;
  /** The attempt with which the schedule began. */
  first: number;
  operation: TaskOperation;
  /** Where its retries travel: the slow lane is left with the attempt. */
  lane: string;
  event: string;
  enqueued: Date;
  extra: Record<string, string>;
  /** The request, as it travelled. */
  text: string;
  /** The same, read; empty where it is no JSON object. */
  request: Record<string, unknown>;
  /** Of what is delivered to an endpoint; empty for mails. */
  tenant: string;
  endpoint: string;
  type: string;
};

/** Reads a task message. undefined where it is none of this version: a newer worker may know it. */
export function readAttempt(message: BrokerMessage): Attempt | undefined {
  const operation = message.header(taskHeaders.operation);
  const task = message.header(taskHeaders.task);
  const number = Number(message.header(taskHeaders.attempt));
  if (!isTaskOperation(operation) || task === '' || !Number.isInteger(number) || number < 1)
    return undefined;
  const text = message.text();
  const request = objectOf(text);
  const textOf = (name: string) => (typeof request[name] === 'string' ? request[name] : '');
  return {
    task,
    number,
    first: Number(message.header(taskHeaders.first)) || 1,
    operation,
    lane: message.subject.startsWith('task.replay.') ? 'replay' : laneOf(operation),
    event: message.header(taskHeaders.event),
    enqueued: dateOf(message.header(taskHeaders.enqueued)) ?? new Date(),
    extra: Object.fromEntries(
      Object.entries(objectOf(message.header(taskHeaders.extra))).map(([name, value]) => [
        name,
        String(value),
      ]),
    ),
    text,
    request,
    tenant: textOf('Tenant'),
    endpoint: textOf('Endpoint'),
    type: textOf('Type'),
  };
}

/** When the task loses its point, undefined where it does not. */
export const expiryOf = ({ extra }: Attempt): Date | undefined => dateOf(extra['expiresAt'] ?? '');

const isTaskOperation = (name: string): name is TaskOperation => Object.hasOwn(taskLanes, name);

/** The lane of an operation: the second word of its subject. */
const laneOf = (operation: TaskOperation): string => taskLanes[operation].split('.')[1] ?? '';

function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : {};
  } catch {
    return {}; // an empty request fails its validation, which is how it ends as a dead letter
  }
}
