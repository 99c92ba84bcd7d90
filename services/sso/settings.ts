import type { SettingTable } from '@bailiwick/shared/config.ts';
import { brokerSettings, databaseSettings, listenSettings, publicUrlSettings, verifierSettings } from '@bailiwick/shared/settings.ts';

export const ssoSettings = {
  ...listenSettings,
  ...verifierSettings,
  ...databaseSettings('sso'),
  ...brokerSettings,
  ...publicUrlSettings,
} as const satisfies SettingTable;
