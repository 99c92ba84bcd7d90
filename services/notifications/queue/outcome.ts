import { Buffer } from 'node:buffer';
import type { TaskResult } from '@bailiwick/proto/gen/bailiwick/notifications/v1/result_pb.ts';
import { toServiceError } from '@bailiwick/shared/errors.ts';
import type { Message } from '@bufbuild/protobuf';
import type { Status } from '../sending/outcome.ts';

/** What the queue notes of an attempt, whatever kind of task it was. */
export type AttemptOutcome = {
  delivery: string;
  status: Status;
  statusCode: number;
  error: string;
  message: string;
};

const statuses: readonly string[] = ['delivered', 'retry', 'failed', 'dropped'] satisfies Status[];

/** As webhooks.proto and chat.proto say. Events of our own may be larger. */
const largestBody = 262_144;
const tooLarge = 'payload_too_large';

/** What becomes of a delivery that no receiver is sent, undefined where there is nothing against it. */
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

/** Whether an outcome says something of the receiver: it was called, or could not be. What is wrong with a task never gets that far. */
export const isReceivers = ({ statusCode, error }: AttemptOutcome): boolean =>
  statusCode > 0 || (error !== '' && error !== tooLarge);

/** What a task operation's response says. Deliveries bring a result; a mail's empty response means that it went out. */
export function outcomeOfResponse(task: string, response: Message): AttemptOutcome {
  const result = 'task' in response ? (response.task as TaskResult | undefined) : undefined;
  if (!result)
    return { delivery: task, status: 'delivered', statusCode: 0, error: '', message: '' };
  if (!isStatus(result.status)) throw new Error(`${result.status} is no status of a task`);
  const { id, status, statusCode, error, message } = result;
  return { delivery: id, status, statusCode, error, message };
}

const isStatus = (text: string): text is Status => statuses.includes(text);

/** The reason of an error that is the mail server's: the attempt was made, and it counts. */
export const mailUnavailable = 'MAIL_UNAVAILABLE';

/** The reasons for which a mail is not sent at all, and the result's error that says so. */
export const mailSuppressed = 'MAIL_SUPPRESSED';
export const mailLimited = 'MAIL_LIMITED';
const dropped: ReadonlyMap<string, string> = new Map([
  [mailSuppressed, 'suppressed'],
  [mailLimited, 'rate_limited'],
]);

/**
 * What a thrown error says, undefined where the fault is ours (database, another service, a defect): such an
 * attempt is made again without being counted.
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
