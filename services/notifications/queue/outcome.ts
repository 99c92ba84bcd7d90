import type { TaskResult } from '@bailiwick/proto/gen/bailiwick/notifications/v1/result_pb.ts';
import { toServiceError } from '@bailiwick/shared/errors.ts';
import type { Message } from '@bufbuild/protobuf';
import type { Status } from '../webhooks/outcome.ts';

/** What the queue notes of an attempt, whatever kind of task it was. */
export type AttemptOutcome = { delivery: string; status: Status; statusCode: number; error: string; message: string };

const statuses: readonly string[] = ['delivered', 'retry', 'failed', 'dropped'] satisfies Status[];

/** What a task operation's response says. Deliveries bring a result; a mail's empty response means that it went out. */
export function outcomeOfResponse(task: string, response: Message): AttemptOutcome {
  const result = 'task' in response ? (response.task as TaskResult | undefined) : undefined;
  if (!result) return { delivery: task, status: 'delivered', statusCode: 0, error: '', message: '' };
  if (!isStatus(result.status)) throw new Error(`${result.status} is no status of a task`);
  const { id, status, statusCode, error, message } = result;
  return { delivery: id, status, statusCode, error, message };
}

const isStatus = (text: string): text is Status => statuses.includes(text);

/** The reason of an error that is the mail server's: the attempt was made, and it counts. */
export const mailUnavailable = 'MAIL_UNAVAILABLE';

/**
 * What a thrown error says, undefined where the fault is ours (database, another service, a defect): such an
 * attempt is made again without being counted.
 */
export function outcomeOfError(task: string, thrown: unknown): AttemptOutcome | undefined {
  const { code, reason, message } = toServiceError(thrown);
  const outcome = (status: Status) => ({ delivery: task, status, statusCode: 0, error: '', message });
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
