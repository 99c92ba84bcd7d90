import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
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
