import { Buffer } from 'node:buffer';
import { toServiceError } from '@bailiwick/errors';
import type { TaskResult } from '@bailiwick/proto/gen/bailiwick/notifications/v1/result_pb.ts';
import type { Status } from '../sending/delivery-outcome.ts';

/** The outcome of an attempt at a task of any kind. */
export type AttemptOutcome = {
  delivery: string;
  status: Status;
  statusCode: number;
  error: string;
  message: string;
};

const statuses: readonly string[] = ['delivered', 'retry', 'failed', 'dropped'] satisfies Status[];

/** The limit of webhooks.proto and chat.proto. The service's own events may be larger. */
const largestBody = 262_144;
const tooLarge = 'payload_too_large';

/** The failed outcome of a delivery that is too large to send, or undefined if the size is fine. */
export function outcomeOfSize(
  task: string,
  { Body }: Record<string, unknown>,
): AttemptOutcome | undefined {
  if (typeof Body !== 'string' || Buffer.byteLength(Body, 'base64') <= largestBody)
    return undefined;
  return {
    delivery: task,
    status: 'failed',
    statusCode: 0,
    error: tooLarge,
    message: `the body is larger than ${largestBody / 1024} KiB`,
  };
}

/**
 * Whether the outcome is about the receiver: it was called, or could not be. A defective task never
 * reaches it.
 */
export const involvesReceiver = ({ statusCode, error }: AttemptOutcome): boolean =>
  statusCode > 0 || (error !== '' && error !== tooLarge);

/**
 * The outcome of a task operation's response. Deliveries return a result; a mail's empty response
 * means that it was sent.
 */
export function outcomeOfResponse(task: string, response: object): AttemptOutcome {
  const result = 'task' in response ? (response.task as TaskResult | undefined) : undefined;
  if (!result)
    return { delivery: task, status: 'delivered', statusCode: 0, error: '', message: '' };
  if (!isStatus(result.status)) throw new Error(`${result.status} is not a task status`);
  const { id, status, statusCode, error, message } = result;
  return { delivery: id, status, statusCode, error, message };
}

const isStatus = (text: string): text is Status => statuses.includes(text);

/** The reason of a mail server error: the attempt was made and counts. */
export const mailUnavailable = 'MAIL_UNAVAILABLE';

/** The reason of a mail whose outcome is unknown: it is not sent again. */
export const mailUnconfirmed = 'MAIL_UNCONFIRMED';

/** The reasons for not sending a mail (again), and the `error` of the result for each. */
export const mailSuppressed = 'MAIL_SUPPRESSED';
export const mailLimited = 'MAIL_LIMITED';
const dropped: ReadonlyMap<string, string> = new Map([
  [mailSuppressed, 'suppressed'],
  [mailLimited, 'rate_limited'],
  [mailUnconfirmed, 'timeout'],
]);

/**
 * The outcome of a thrown error, or undefined if the fault is internal (database, another service,
 * a defect): such an attempt is repeated without being counted.
 */
export function outcomeOfError(task: string, thrown: unknown): AttemptOutcome | undefined {
  const { code, reason, message } = toServiceError(thrown);
  const outcome = (status: Status, error = '') => ({
    delivery: task,
    status,
    statusCode: 0,
    error,
    message,
  });
  const dropping = dropped.get(reason);
  if (dropping !== undefined) return outcome('dropped', dropping);
  switch (code) {
    case 'unavailable':
      return reason === mailUnavailable ? outcome('retry') : undefined;
    case 'internal':
      return undefined;
    case 'resource_exhausted':
      return outcome('retry');
    default:
      return outcome('failed');
  }
}
