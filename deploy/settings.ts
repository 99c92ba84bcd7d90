import { accessSettings } from '@bailiwick/access/settings.ts';
import { gatewaySettings } from '@bailiwick/gateway/settings.ts';
import { identitySettings } from '@bailiwick/identity/settings.ts';
import { notificationsSettings } from '@bailiwick/notifications/settings.ts';
import { installationSettings, publicUrlSettings, type SettingTable } from '@bailiwick/process';
import { ssoSettings } from '@bailiwick/sso/settings.ts';
import { databaseSettings } from '@bailiwick/store';

// The settings of every process. The local start sets them, the chart renders them, and
// docs/configuration.md is generated from them.

export const settingTables = {
  gateway: gatewaySettings,
  identity: identitySettings,
  access: accessSettings,
  sso: ssoSettings,
  notifications: notificationsSettings,
} as const satisfies Record<string, SettingTable>;

/** The login of a service, if the migrations use a different one. */
const loginSetting = (service: string) =>
  ({
    env: `BAILIWICK_${service.toUpperCase()}_LOGIN_URL`,
    kind: 'text',
    fallback: '',
    check: (url: string) => url === '' || new URL(url),
    about: `The URL that ${service} itself connects with, if the migrations use a different login: its login becomes a member of the role bailiwick_${service}_<database>.`,
  }) as const;

/**
 * A migration run (migrate.ts): the databases of all services, with a login that can create schemas
 * and roles.
 */
export const migrateSettings = {
  identity: databaseSettings('identity').databaseUrl,
  access: databaseSettings('access').databaseUrl,
  sso: databaseSettings('sso').databaseUrl,
  notifications: databaseSettings('notifications').databaseUrl,
  identityLogin: loginSetting('identity'),
  accessLogin: loginSetting('access'),
  ssoLogin: loginSetting('sso'),
  notificationsLogin: loginSetting('notifications'),
  ...installationSettings,
  waitSeconds: {
    env: 'BAILIWICK_DATABASE_WAIT_SECONDS',
    kind: 'int',
    fallback: '0',
    about: 'How long to wait for an unreachable database, in seconds. 0 = fail at once.',
  },
} as const satisfies SettingTable;

/** The exit code of operator-link.ts if the platform has an operator. */
export const operatorExists = 3;

/** The link of the first operator (operator-link.ts): settings that access has. */
export const operatorLinkSettings = {
  databaseUrl: databaseSettings('access').databaseUrl,
  publicUrl: publicUrlSettings.publicUrl,
} as const satisfies SettingTable;
