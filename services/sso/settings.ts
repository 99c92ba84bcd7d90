import type { SettingTable } from '@bailiwick/shared/config.ts';
import { brokerSettings, databaseSettings, limitSettings, listenSettings, publicUrlSettings, verifierSettings } from '@bailiwick/shared/settings.ts';

export const ssoSettings = {
  ...listenSettings,
  ...verifierSettings,
  ...databaseSettings('sso'),
  ...brokerSettings,
  ...publicUrlSettings,
  ...limitSettings,
} as const satisfies SettingTable;
