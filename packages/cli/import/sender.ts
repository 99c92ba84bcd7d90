import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ResourceExhaustedError, UnavailableError } from '../../client/errors.ts';
import type { Sender } from '../../client/import/mod.ts';
import { say } from '../output.ts';
import { endProgress } from './progress.ts';

/** Repeats a call that an outage interrupted, with longer and longer pauses, and says so. */
export const patientSender = ({
  client,
  dryRun,
  batchId,
}: Pick<Sender, 'dryRun' | 'batchId'> & { client: Client }): Sender => ({
  client,
  dryRun,
  batchId,
  async beforeRetry({ code, attempt }) {
    const seconds = 2 ** (attempt - 1);
    endProgress();
    say(`Users_Import failed (${code}), trying again in ${seconds} s`);
    await sleep(seconds * 1000);
  },
});

/** The most seconds before the next mail while the service refuses more. */
const longestPause = 10;
/** The most refusals in a row: ten minutes. The limits of the service end within one. */
const mostRefusals = 60;

/**
 * Mails each user the link to set a password, one by one, as the limits of the service let it.
 * `progress.mailed`: how many have got theirs, which `store` keeps.
 *
 * @throws BailiwickError if the service refuses for more than ten minutes
 */
export async function mailResets(
  client: Client,
  users: Iterable<{ Email: string }>,
  progress: { mailed: number },
  store: () => void,
): Promise<void> {
  const before = progress.mailed;
  let index = 0;
  for (const { Email } of users) {
    if (index++ < before) continue;
    await mailReset(client, Email, progress.mailed);
    progress.mailed = index;
    store();
  }
}

async function mailReset(client: Client, Email: string, mailed: number): Promise<void> {
  for (let refusals = 1; ; refusals++) {
    try {
      await client.call('Account_RequestPasswordReset', { Email });
      return;
    } catch (error) {
      const isTemporary =
        error instanceof ResourceExhaustedError || error instanceof UnavailableError;
      if (!isTemporary || refusals === mostRefusals) throw error;
      if (refusals === 1)
        say(
          `${mailed} mails to set a password were sent; the service refuses more (${error.Code}), trying again`,
        );
      await sleep(Math.min(2 ** (refusals - 1), longestPause) * 1000);
    }
  }
}
