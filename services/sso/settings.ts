import type { SettingTable } from '@bailiwick/shared/config.ts';
import { parseServer } from '@bailiwick/shared/egress/resolver.ts';
import { keyServiceSettings } from '@bailiwick/shared/keys/settings.ts';
import {
  accessPeer,
  allowedOriginsSettings,
  brokerSettings,
  callerSettings,
  databaseSettings,
  egressSettings,
  identityPeer,
  keyRingSettings,
  limitSettings,
  listenSettings,
  publicUrlSettings,
  tlsSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';

export const ssoSettings = {
  ...listenSettings,
  ...callerSettings,
  ...tlsSettings,
  ...verifierSettings,
  ...databaseSettings('sso'),
  ...brokerSettings,
  ...keyRingSettings,
  ...keyServiceSettings,
  ...publicUrlSettings,
  ...allowedOriginsSettings,
  ...limitSettings,
  ...identityPeer,
  ...accessPeer,
  ...egressSettings,
  dnsResolvers: {
    env: 'BAILIWICK_DNS_RESOLVERS',
    kind: 'list',
    fallback: '',
    check: (servers: string[]) => servers.forEach(parseServer),
    about:
      "The DNS servers that look up the TXT records of domains, such as 10.0.0.10:53, in order of preference. Empty = the host's own resolvers.",
  },
} as const satisfies SettingTable;
