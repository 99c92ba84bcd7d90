import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { DatabaseProblem, renameInstallation } from '@bailiwick/database';
import { type Environment, readSettings } from '@bailiwick/settings';
import { createLog } from '@bailiwick/telemetry';
import { createToken } from '@bailiwick/values';
import { schemas } from './migrate.ts';
import { migrateSettings } from './settings.ts';

// Commands of an operator that need the database itself. They take the settings of the migrations.

/** What a service's copy must not share with the original. */
const forgotten: Record<string, readonly string[]> = {
  // The next process makes new keys, so that a token of one is refused by the other.
  sso: ["delete from signing_key where tenant = ''"],
};
/** The original publishes what has happened in it, with its webhooks and mails. */
const everywhere = ['delete from outbox'];

/**
 * Makes a restored copy of the databases an installation of its own. Returns its id, which is
 * random if none is configured. Safe to repeat.
 */
export async function startNewInstallation(environment: Environment): Promise<string> {
  const { installationId, ...settings } = readSettings(migrateSettings, environment);
  const urls: Record<string, unknown> = settings;
  const id = installationId || randomUUID();
  for (const { service } of schemas)
    await renameInstallation(String(urls[service]), service, id, [
      ...everywhere,
      ...(forgotten[service] ?? []),
    ]);
  return id;
}

const usage = `usage: node deploy/admin.ts new-installation

Makes a restored copy of the databases an installation of its own, with a new id and
new signing keys. Stop all processes of the copy first.
`;

async function main(): Promise<number> {
  if (process.argv.slice(2).join(' ') !== 'new-installation') {
    process.stderr.write(usage);
    return 2;
  }
  const id = await startNewInstallation(process.env);
  process.stdout.write(`The databases belong to the installation ${id} now. Before you start its processes:
- set BAILIWICK_INSTALLATION_ID=${id}, if it is set
- give it a NATS account of its own, or a BAILIWICK_NATS_PREFIX
- replace the platform key, for example with ${createToken('botKey')}
- replace the worker token, for example with ${createToken('worker')}
- replace the keys of the processes
- keep the key ring: the data cannot be read without it
`);
  return 0;
}

if (import.meta.main)
  process.exit(
    await main().catch((error: unknown) => {
      const isProblem = error instanceof DatabaseProblem;
      createLog('admin').error(
        isProblem ? error.message : 'the command failed',
        isProblem ? {} : { error },
      );
      return 1;
    }),
  );
