import process from 'node:process';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { DatabaseProblem, migrate } from '@bailiwick/database';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { type Environment, namesOf, readSettings, type SettingTable } from '@bailiwick/settings';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { createLog, type Log } from '@bailiwick/telemetry';
import { migrateSettings } from './settings.ts';

/** Every service's schema. */
export const schemas = [identitySchema, accessSchema, ssoSchema, notificationsSchema] as const;

/**
 * Brings every service's schema up to this code's version. Repeated and concurrent runs are safe.
 */
export async function migrateAll(environment: Environment, log: Log): Promise<void> {
  const { waitSeconds, ...given } = readSettings(migrateSettings, environment);
  const urls: Record<string, string> = given;
  for (const schema of schemas) {
    const options = {
      url: urls[schema.service] ?? '',
      loginUrl: urls[`${schema.service}Login`] ?? '',
      waitSeconds,
    };
    await migrate(schema, options, log).catch((error: unknown) => {
      throw error instanceof DatabaseProblem
        ? new DatabaseProblem(`${settingOf(schema.service, environment)}: ${error.message}`, {
            cause: error,
          })
        : error;
    });
  }
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
