import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { BailiwickError, InvalidArgumentError } from '../../client/errors.ts';
import type { ImportedUserInput, ImportVerdict } from '../../client/gen/types.ts';
import { say } from '../output.ts';
import { endProgress } from './progress.ts';

/** How often a call is made again after an outage, with longer and longer pauses. */
const attempts = 6;

/**
 * Imports users, and returns a verdict for each. The service refuses a whole call for a user of
 * the wrong form, such as one with an unknown field. Such a call is halved until the user is alone.
 */
export async function sendUsers(
  client: Client,
  users: readonly ImportedUserInput[],
  dryRun = false,
): Promise<ImportVerdict[]> {
  try {
    return await callOften(client, users, dryRun);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const [user, ...more] = users;
    if (user && more.length === 0) return [refusedVerdict(user, error)];
    const middle = Math.ceil(users.length / 2);
    const first = await sendUsers(client, users.slice(0, middle), dryRun);
    return [...first, ...(await sendUsers(client, users.slice(middle), dryRun))];
  }
}

const refusedVerdict = (
  { Email, ExternalID = '' }: ImportedUserInput,
  { Code, Messages }: BailiwickError,
): ImportVerdict => ({
  Result: 'failed',
  Email,
  ExternalID,
  UserID: '',
  Code,
  Messages: Messages.map((message) => message.replace(/^Users\[0\]\.?/, '')),
});

/**
 * Repeats a call that was interrupted: a repetition completes what the first call has begun. So it
 * is a call of its own, with an Idempotency-Key of its own.
 */
async function callOften(
  client: Client,
  users: readonly ImportedUserInput[],
  dryRun: boolean,
): Promise<ImportVerdict[]> {
  const request = { Users: users, OnError: 'continue', DryRun: dryRun };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await client.call('Users_Import', request, { timeoutMs: 120_000 })).Verdicts;
    } catch (error) {
      if (attempt === attempts || !isInterrupted(error)) throw error;
      const seconds = 2 ** (attempt - 1);
      endProgress();
      say(`Users_Import failed (${error.Code}), trying again in ${seconds} s`);
      await sleep(seconds * 1000);
    }
  }
}

const isInterrupted = (error: unknown): error is BailiwickError =>
  error instanceof BailiwickError &&
  ['unavailable', 'resource_exhausted', 'internal', 'failed_precondition'].includes(error.Code);
