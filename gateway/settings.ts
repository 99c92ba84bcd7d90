import type { SettingTable } from '@bailiwick/shared/config.ts';
import { accessPeer, callerSettings, identityPeer, listenSettings, notificationsPeer, publicUrlSettings, ssoPeer } from '@bailiwick/shared/settings.ts';

export const gatewaySettings = {
  ...listenSettings,
  ...callerSettings,
  ...publicUrlSettings,
  ...identityPeer,
  ...accessPeer,
  ...ssoPeer,
  ...notificationsPeer,
  requestTimeoutMs: {
    env: 'BAILIWICK_REQUEST_TIMEOUT_MS',
    kind: 'int',
    fallback: '20000',
    about: 'A request that has not arrived whole after this long is refused. Milliseconds.',
  },
} as const satisfies SettingTable;
