import type { SettingTable } from '@bailiwick/shared/config.ts';
import {
  brokerSettings,
  callerSettings,
  databaseSettings,
  identityPeer,
  keyRingSettings,
  listenSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';

export const accessSettings = {
  ...listenSettings,
  ...verifierSettings,
  ...callerSettings,
  ...databaseSettings('access'),
  ...brokerSettings,
  ...keyRingSettings,
  ...identityPeer,
  tenantCreation: {
    env: 'BAILIWICK_TENANT_CREATION',
    kind: 'flag',
    fallback: 'true',
    about: 'Whether people with a verified address may create tenants of their own. The platform always can.',
  },
} as const satisfies SettingTable;
