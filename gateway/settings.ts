import type { SettingTable } from '@bailiwick/shared/config.ts';
import {
  accessPeer,
  brokerSettings,
  callerSettings,
  identityPeer,
  listenSettings,
  notificationsPeer,
  publicUrlSettings,
  ssoPeer,
} from '@bailiwick/shared/settings.ts';

export const gatewaySettings = {
  ...listenSettings,
  ...brokerSettings,
  ...callerSettings,
  ...publicUrlSettings,
  ...identityPeer,
  ...accessPeer,
  ...ssoPeer,
  ...notificationsPeer,
  trustedProxies: {
    env: 'BAILIWICK_TRUSTED_PROXIES',
    kind: 'list',
    fallback: '',
    about: 'Networks (such as 10.0.0.0/8) of the proxies in front of the gateway. X-Forwarded-For is read from them and from nobody else.',
  },
  allowedOrigins: {
    env: 'BAILIWICK_ALLOWED_ORIGINS',
    kind: 'list',
    fallback: '',
    about: "Origins (such as https://app.example.com) whose pages may call with the session cookie, besides the public URL's own.",
  },
  requestTimeoutMs: {
    env: 'BAILIWICK_REQUEST_TIMEOUT_MS',
    kind: 'int',
    fallback: '20000',
    about: 'A request that has not arrived whole after this long is refused. Milliseconds.',
  },
} as const satisfies SettingTable;
