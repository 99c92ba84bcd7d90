import { atLeast, oneOf, type SettingTable } from '@bailiwick/shared/config.ts';
import {
  accessPeer,
  allowedOriginsSettings,
  brokerSettings,
  callerSettings,
  identityPeer,
  limitSettings,
  listenSettings,
  notificationsPeer,
  publicUrlSettings,
  ssoPeer,
  tlsSettings,
} from '@bailiwick/shared/settings.ts';
import { createClientAddress } from './client-address.ts';

export const gatewaySettings = {
  ...listenSettings,
  ...brokerSettings,
  ...callerSettings,
  ...tlsSettings,
  ...publicUrlSettings,
  ...limitSettings,
  ...identityPeer,
  ...accessPeer,
  ...ssoPeer,
  ...notificationsPeer,
  trustedProxies: {
    env: 'BAILIWICK_TRUSTED_PROXIES',
    kind: 'list',
    fallback: '',
    check: createClientAddress,
    about:
      'Networks (such as 10.0.0.0/8) of the proxies in front of the gateway. X-Forwarded-For is read from them and from nobody else.',
  },
  ...allowedOriginsSettings,
  tenantQuota: {
    env: 'BAILIWICK_TENANT_CALLS_PER_MINUTE',
    kind: 'int',
    fallback: '0',
    about: 'Calls a minute that one gateway takes for one tenant; 0 = no quota.',
  },
  requestTimeoutMs: {
    env: 'BAILIWICK_REQUEST_TIMEOUT_MS',
    kind: 'int',
    fallback: '20000',
    check: atLeast(100),
    about: 'A request that has not arrived whole after this long is refused. Milliseconds.',
  },
  unknownKeys: {
    env: 'BAILIWICK_UNKNOWN_KEYS',
    kind: 'text',
    fallback: 'refuse',
    check: oneOf('refuse', 'ignore'),
    about:
      'What happens to a request with keys that the operation does not know: refuse (400, each key is named) or ignore. Ignore them only for clients that are newer than this version: an ignored ExpireAt makes a grant without an end.',
  },
  trustTraceparent: {
    env: 'BAILIWICK_TRUST_TRACEPARENT',
    kind: 'flag',
    fallback: 'false',
    about:
      "Whether a request's traceparent header names the trace it belongs to. For a gateway behind a proxy that begins the traces itself; otherwise a request is a trace of its own, linked to the one that its client names.",
  },
} as const satisfies SettingTable;
