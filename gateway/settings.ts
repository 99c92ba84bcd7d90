import { brokerSettings } from '@bailiwick/broker';
import {
  allowedOriginsSettings,
  atLeast,
  installationSettings,
  limitSettings,
  listenSettings,
  oneOf,
  pageBrandSettings,
  publicUrlSettings,
  type SettingTable,
  tlsSettings,
} from '@bailiwick/process';
import {
  accessPeer,
  callerSettings,
  identityPeer,
  notificationsPeer,
  ssoPeer,
} from '@bailiwick/wire';
import { createClientAddress } from './http/client-address.ts';

export const gatewaySettings = {
  ...listenSettings,
  ...installationSettings,
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
      'Networks (such as 10.0.0.0/8) of the proxies in front of the gateway. Only their X-Forwarded-For headers are trusted, with or without ports, brackets and quotes.',
  },
  ...allowedOriginsSettings,
  ...pageBrandSettings,
  console: {
    env: 'BAILIWICK_CONSOLE',
    kind: 'flag',
    fallback: 'true',
    about:
      'Whether the gateway serves the web console at /console and /account. It calls the same operations as every client.',
  },
  dataDir: {
    env: 'BAILIWICK_DATA_DIR',
    kind: 'text',
    fallback: '',
    about:
      'A folder on the disk of the database and the broker, if they are on this machine: the metrics bailiwick_data_disk_… show its space, and /readyz says when little is left. The local start sets it.',
  },
  tenantQuota: {
    env: 'BAILIWICK_TENANT_CALLS_PER_MINUTE',
    kind: 'int',
    fallback: '0',
    about: 'Calls per minute that one gateway accepts for one tenant; 0 = no quota.',
  },
  requestTimeoutMs: {
    env: 'BAILIWICK_REQUEST_TIMEOUT_MS',
    kind: 'int',
    fallback: '20000',
    check: atLeast(100),
    about:
      'Time limit for receiving a complete request, in milliseconds. A slower request is rejected.',
  },
  keepAliveMs: {
    env: 'BAILIWICK_KEEP_ALIVE_MS',
    kind: 'int',
    fallback: '620000',
    check: atLeast(1000),
    about:
      'How long the gateway keeps an idle connection open, in milliseconds: longer than the load balancer in front of it does (GCP 600 s, AWS ALB 60 s by default), or it sends requests on connections that are being closed.',
  },
  unknownKeys: {
    env: 'BAILIWICK_UNKNOWN_KEYS',
    kind: 'text',
    fallback: 'refuse',
    check: oneOf('refuse', 'ignore'),
    about:
      'Handling of request keys that the operation does not know: refuse (400, naming each key) or ignore. Use ignore only for clients that are newer than this version: if a misspelt ExpireAt is ignored, the grant never expires.',
  },
  trustTraceparent: {
    env: 'BAILIWICK_TRUST_TRACEPARENT',
    kind: 'flag',
    fallback: 'false',
    about:
      "Whether the gateway continues the trace in a request's traceparent header. Set it only behind a proxy that starts the traces. Otherwise each request starts its own trace, linked to the client's.",
  },
} as const satisfies SettingTable;
