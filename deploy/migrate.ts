import process from 'node:process';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import {
  createLog,
  type Environment,
  type Log,
  namesOf,
  readSettings,
  type SettingTable,
} from '@bailiwick/process';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import {
  addTrigramIndexes,
  DatabaseProblem,
  migrate,
  readInstallations,
  UnsuitableDatabase,
} from '@bailiwick/store';
import { migrateSettings } from './settings.ts';

/** Every service's schema. */
export const schemas = [identitySchema, accessSchema, ssoSchema, notificationsSchema] as const;

/**
 * Brings every service's schema up to this code's version. Repeated and concurrent runs are safe.
 * Returns the installation's id: the configured one, the one of the databases, or a new one.
 */
export async function migrateAll(environment: Environment, log: Log): Promise<string> {
  const { waitSeconds, installationId, ...values } = readSettings(migrateSettings, environment);
  const urls: Record<string, string> = values;
  const named = <T>(service: string, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (!(error instanceof DatabaseProblem)) throw error;
      const message = `${settingOf(service, environment)}: ${error.message}`;
      throw new DatabaseProblem(message, { cause: error });
    });
  const stored = new Set<string>();
  for (const url of new Set(schemas.map(({ service }) => urls[service] ?? ''))) {
    const services = schemas.map(({ service }) => service).filter((one) => urls[one] === url);
    const ids = await named(
      services[0] ?? '',
      readInstallations({ url, waitSeconds }, services, log),
    );
    for (const id of ids) if (id !== '') stored.add(id);
  }
  if (stored.size > 1)
    throw new UnsuitableDatabase(
      `the databases belong to different installations (${[...stored].join(', ')}): name those of one installation`,
    );
  let installation = installationId || [...stored][0];
  for (const schema of schemas) {
    const options = {
      url: urls[schema.service] ?? '',
      loginUrl: urls[`${schema.service}Login`] ?? '',
      waitSeconds,
      installation,
    };
    installation = await named(schema.service, migrate(schema, options, log));
  }
  // A build may wait long for old transactions: services of this code start meanwhile.
  for (const schema of schemas)
    await addTrigramIndexes(schema, { url: urls[schema.service] ?? '', waitSeconds }, log);
  return installation ?? '';
}

/** The variable that names the database of a service. */
function settingOf(service: string, environment: Environment): string {
  const setting = (migrateSettings as SettingTable)[service];
  const names = setting ? namesOf(setting) : [];
  return names.find((name) => environment[name] !== undefined) ?? names[0] ?? '';
}

if (import.meta.main) {
  const log = createLog('migrate');
  await migrateAll(process.env, log).then(
    () => process.exit(0),
    (error: unknown) => {
      // The message says what to do, so a stack trace would only hide it.
      if (error instanceof DatabaseProblem) log.error(error.message);
      else log.error('the migration failed', { error });
      process.exit(1);
    },
  );
}
