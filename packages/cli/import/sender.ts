import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ResourceExhaustedError, UnavailableError } from '../../client/errors.ts';
import type { Sender } from '../../user-import/mod.ts';
import { say } from '../output.ts';
import { endProgress } from './progress.ts';

/** Repeats a call that an outage interrupted, with longer and longer pauses, and says so. */
export const patientSender = ({
  client,
  dryRun = false,
}: {
  client: Client;
  dryRun?: boolean;
}): Sender => ({
  client,
  dryRun,
  async beforeRetry({ code, attempt }) {
    const seconds = 2 ** (attempt - 1);
    endProgress();
    say(`Users_Import failed (${code}), trying again in ${seconds} s`);
    await sleep(seconds * 1000);
  },
});

/** Seconds before the next mail while the service refuses more. */
const mailPause = 10;

/**
 * Mails each user the link to set a password, one by one, as the limit of the service lets it.
 * `mailed`: how many have got theirs before, `note` stores how many have now.
 */
export async function mailResets(
  client: Client,
  users: Iterable<{ Email: string }>,
  mailed: number,
  note: (mailed: number) => void,
): Promise<void> {
  let index = 0;
  for (const { Email } of users) {
    if (index++ < mailed) continue;
    while (!(await isMailed(client, Email))) await sleep(mailPause * 1000);
    note(index);
  }
}

/** False if the service takes no more mails for now. */
async function isMailed(client: Client, Email: string): Promise<boolean> {
  try {
    await client.call('Account_RequestPasswordReset', { Email });
    return true;
  } catch (error) {
    if (error instanceof ResourceExhaustedError || error instanceof UnavailableError) return false;
    throw error;
  }
}
