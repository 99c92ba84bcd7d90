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
} as const satisfies SettingTable;
