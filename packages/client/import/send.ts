import type { Client } from '../client.ts';
import { BailiwickError, InvalidArgumentError } from '../errors.ts';
import type { ImportedUserInput, ImportVerdict } from '../gen/types.ts';

export type Sender = {
  client: Pick<Client, 'call'>;
  dryRun: boolean;
  /** Names the users that are sent, so that a repetition knows which ones it created (BatchID). */
  batchId: string;
  /** Waits before a call that an outage interrupted is repeated. Without it the call fails at once. */
  beforeRetry?: (failure: { code: string; attempt: number }) => Promise<void>;
};

/** Attempts of a call during an outage. */
const attempts = 6;

/**
 * Imports users, and returns a verdict for each. The service refuses a whole call for a user of
 * the wrong form, such as one with an unknown field. Such a call is halved until the user is alone.
 *
 * @throws BailiwickError for every other failure
 */
export async function sendUsers(
  sender: Sender,
  users: readonly ImportedUserInput[],
): Promise<ImportVerdict[]> {
  try {
    return await callOften(sender, users);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const [user, ...more] = users;
    if (user && more.length === 0) return [refusedVerdict(user, error)];
    const middle = Math.ceil(users.length / 2);
    const first = await sendUsers(sender, users.slice(0, middle));
    return [...first, ...moved(await sendUsers(sender, users.slice(middle)), middle)];
  }
}

/** The verdicts of the second half of a call: a message counts users from the beginning of the whole. */
const moved = (verdicts: readonly ImportVerdict[], by: number): ImportVerdict[] =>
  verdicts.map((verdict) => ({
    ...verdict,
    Messages: verdict.Messages.map((message) =>
      message.replaceAll(/\bUsers\[(\d+)\]/g, (_, index) => `Users[${Number(index) + by}]`),
    ),
  }));

const refusedVerdict = (
  { Email, ExternalID = '' }: ImportedUserInput,
  { Code, Reason, Messages, Params, Problems }: BailiwickError,
): ImportVerdict => ({
  Result: 'failed',
  Email,
  ExternalID,
  UserID: '',
  Code,
  Messages: Messages.map(withoutPath),
  Reason,
  Params,
  Problems: Problems.map((problem) => ({ ...problem, Field: withoutPath(problem.Field) })),
});

const pathOfUser = 'Users[0].';

/** A message begins with the Field of its problem. */
const withoutPath = (text: string): string =>
  text.startsWith(pathOfUser) ? text.slice(pathOfUser.length) : text;

/**
 * Repeats a call that was interrupted: a repetition completes what the first call has begun. So it
 * is a call of its own, with an Idempotency-Key of its own.
 */
async function callOften(
  { client, dryRun, batchId, beforeRetry }: Sender,
  users: readonly ImportedUserInput[],
): Promise<ImportVerdict[]> {
  const request = { Users: users, OnError: 'continue', DryRun: dryRun, BatchID: batchId };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await client.call('Users_Import', request, { timeoutMs: 120_000 })).Verdicts;
    } catch (error) {
      if (!beforeRetry || attempt === attempts || !isInterrupted(error)) throw error;
      await beforeRetry({ code: error.Code, attempt });
    }
  }
}

const isInterrupted = (error: unknown): error is BailiwickError =>
  error instanceof BailiwickError &&
  ['unavailable', 'resource_exhausted', 'internal', 'failed_precondition'].includes(error.Code);
