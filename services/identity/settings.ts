import type { SettingTable } from '@bailiwick/shared/config.ts';
import { accessPeer, brokerSettings, callerSettings, databaseSettings, keyRingSettings, listenSettings, verifierSettings } from '@bailiwick/shared/settings.ts';

export const identitySettings = {
  ...listenSettings,
  ...callerSettings,
  ...verifierSettings,
  ...databaseSettings('identity'),
  ...brokerSettings,
  ...keyRingSettings,
  ...accessPeer,
  platformKey: {
    env: 'BAILIWICK_PLATFORM_KEY_FILE',
    kind: 'file',
    about: "File with the platform owner's bot key (bwkb_…), the first administrator's credential. A new file and a restart replace it.",
  },
  workerToken: {
    env: 'BAILIWICK_WORKER_TOKEN_FILE',
    kind: 'file',
    about: 'File with the token (bwkw_…) that may call the internal task operations through the gateway.',
  },
} as const satisfies SettingTable;
