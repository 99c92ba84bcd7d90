import { brokerSettings } from '@bailiwick/broker';
import { egressSettings, parseServer } from '@bailiwick/egress';
import { keyRingSettings, keyServiceSettings } from '@bailiwick/keys';
import {
  installationSettings,
  limitSettings,
  listenSettings,
  returnSettings,
  type SettingTable,
  tlsSettings,
} from '@bailiwick/process';
import { databaseSettings } from '@bailiwick/store';
import { accessPeer, callerSettings, identityPeer, verifierSettings } from '@bailiwick/wire';

export const ssoSettings = {
  ...listenSettings,
  ...callerSettings,
  ...tlsSettings,
  ...verifierSettings,
  ...databaseSettings('sso'),
  ...installationSettings,
  ...brokerSettings,
  ...keyRingSettings,
  ...keyServiceSettings,
  ...returnSettings,
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
