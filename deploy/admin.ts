import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToken } from '@bailiwick/contract';
import { createLog, type Environment, readSettings } from '@bailiwick/process';
import {
  DatabaseProblem,
  finishUpgrade,
  renameInstallation,
  revokeEverything,
} from '@bailiwick/store';
import { schemas } from './migrate.ts';
import { migrateSettings } from './settings.ts';

// Commands of an operator that need the database itself. They take the settings of the migrations.

/** The state that a service's copy must not share with the original. */
const forgotten: Record<string, readonly string[]> = {
  // The next process makes new keys, so that a token of one is refused by the other.
  sso: ["delete from signing_key where tenant = ''"],
};
/** The original publishes its own events, webhooks and mails. */
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

/**
 * Ends the time in which processes of an older version may run, so that the services keep nothing
 * for them. Safe to repeat.
 */
export async function finishUpgrades(environment: Environment): Promise<void> {
  const urls: Record<string, unknown> = readSettings(migrateSettings, environment);
  for (const schema of schemas) await finishUpgrade(schema, String(urls[schema.service]));
}

/**
 * Drops all cached rights in the processes of the installation, after a change in SQL. Returns when no
 * process uses one any more. Safe to repeat.
 */
export async function forgetRights(environment: Environment): Promise<void> {
  const urls: Record<string, unknown> = readSettings(migrateSettings, environment);
  for (const schema of schemas) await revokeEverything(schema, String(urls[schema.service]));
  await sleep(leaseMs);
}

/** As in packages/broker: until then each process renews its leases and learns it, or they end. */
const leaseMs = 2000;

const usage = `usage: node deploy/admin.ts new-installation | finish-upgrade | forget

new-installation  makes a restored copy of the databases an installation of its own, with a
                  new id and new signing keys. Stop all processes of the copy first.
finish-upgrade    ends the way back to the previous version, and what is kept for it: the
                  URLs of webhook endpoints in clear, and cached rights that live for two
                  seconds only. Its processes do not start any more. Counts what they left
                  uncounted.
forget            drops all cached rights in the running processes, after changes in SQL.
`;

async function main(): Promise<number> {
  switch (process.argv.slice(2).join(' ')) {
    case 'new-installation':
      return await runNewInstallation();
    case 'finish-upgrade':
      await finishUpgrades(process.env);
      process.stdout.write(
        'The upgrade is finished. Running processes seal the URLs of webhook endpoints now.\n',
      );
      return 0;
    case 'forget':
      await forgetRights(process.env);
      process.stdout.write('No process uses rights any more that it had cached.\n');
      return 0;
    default:
      process.stderr.write(usage);
      return 2;
  }
}

async function runNewInstallation(): Promise<number> {
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
