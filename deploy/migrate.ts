import process from 'node:process';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { type Environment, readSettings } from '@bailiwick/shared/config.ts';
import { createLog, type Log } from '@bailiwick/shared/log.ts';
import { migrate } from '@bailiwick/shared/migrations.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { migrateSettings } from './settings.ts';

/** Every service's schema. */
export const schemas = [identitySchema, accessSchema, ssoSchema, notificationsSchema] as const;

/** Brings every service's schema up to this code's version. Safe to run again, and by several at once. */
export async function migrateAll(environment: Environment, log: Log): Promise<void> {
  const { waitSeconds, ...given } = readSettings(migrateSettings, environment);
  const urls: Record<string, string> = given;
  for (const schema of schemas)
    await migrate(
      schema,
      {
        url: urls[schema.service] ?? '',
        loginUrl: urls[`${schema.service}Login`] ?? '',
        waitSeconds,
      },
      log,
    );
}

if (import.meta.main) {
  const log = createLog('migrate');
  await migrateAll(process.env, log).then(
    () => process.exit(0),
    (error: unknown) => {
      log.error('the migration failed', { error });
      process.exit(1);
    },
  );
}
