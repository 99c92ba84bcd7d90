import { parsePrivateKey, parsePublicKeys } from '@bailiwick/call';
import { egressRules, parseProxy } from '@bailiwick/egress';
import { atLeast, oneOf, readText, type Settings, type SettingTable } from '@bailiwick/settings';
import { parseCertificates } from '@bailiwick/wire';

// The settings that several processes share. Each service's own settings are in its settings.ts.

/** Where a process listens. */
export const listenSettings = {
  host: {
    env: 'BAILIWICK_HOST',
    kind: 'text',
    fallback: '0.0.0.0',
    about: 'Address to listen on.',
  },
  port: {
    env: 'PORT',
    kind: 'int',
    fallback: '8080',
    about: 'Port of the API (gateway) or of the internal calls (services).',
  },
  adminPort: {
    env: 'BAILIWICK_ADMIN_PORT',
    kind: 'int',
    fallback: '9464',
    about: 'Port of the probes /startupz, /readyz, /servingz and /livez, and of /metrics.',
  },
  preDrainMs: {
    env: 'BAILIWICK_PRE_DRAIN_MS',
    kind: 'int',
    fallback: '0',
    about:
      'How long a process accepts calls after SIGTERM, in milliseconds, so that load balancers can remove it first.',
  },
} as const satisfies SettingTable;

/** The key that signs callers, and the protocol of calls. */
export const callerSettings = {
  callerKey: {
    env: 'BAILIWICK_CALLER_KEY_FILE',
    kind: 'file',
    check: parsePrivateKey,
    about:
      "File with the process's own Ed25519 private key (PKCS #8 PEM), which signs its internal calls. Reloaded when it changes: distribute the new public key to the other processes first.",
  },
  rpc: {
    env: 'BAILIWICK_RPC',
    kind: 'text',
    fallback: 'http',
    check: oneOf('http', 'grpc'),
    about:
      'Protocol of internal calls: http (service addresses are http://, or https:// with BAILIWICK_TLS_CERT_FILE) or grpc (service addresses are gRPC targets, such as dns:///identity:8081).',
  },
} as const satisfies SettingTable;

/** The keys that verify callers. */
export const verifierSettings = {
  callerPublicKeys: {
    env: 'BAILIWICK_CALLER_PUBLIC_KEYS_DIR',
    kind: 'directory',
    check: (keys: ReadonlyMap<string, string>) => [...keys.values()].forEach(parsePublicKeys),
    about:
      'Directory with the public keys (SPKI PEM) of the processes that may call, one file <process>.pub each. During a key rotation a file contains both keys, one after the other. Reloaded when it changes.',
  },
  grpcPort: {
    env: 'BAILIWICK_GRPC_PORT',
    kind: 'int',
    fallback: '8081',
    about:
      'Port of the internal calls over HTTP/2, for gRPC and Connect clients, with the standard health service. 0 takes a free port.',
  },
} as const satisfies SettingTable;

/** Mutual TLS for calls between the processes. Set all three settings or none. */
export const tlsSettings = {
  tlsCert: {
    env: 'BAILIWICK_TLS_CERT_FILE',
    kind: 'text',
    fallback: '',
    check: (file: string) => file === '' || parseCertificates(readText(file)),
    about:
      "File with the process's certificate and its intermediates (PEM), used as server and client certificate. It must contain the name that other processes call it by. If set, internal calls use mutual TLS and addresses begin with https://; empty = no TLS. Reloaded when it changes, as are the next two files.",
  },
  tlsKey: {
    env: 'BAILIWICK_TLS_KEY_FILE',
    kind: 'text',
    fallback: '',
    check: (file: string) => file === '' || readText(file),
    about: 'File with the private key (PEM) of that certificate.',
  },
  tlsCa: {
    env: 'BAILIWICK_TLS_CA_FILE',
    kind: 'text',
    fallback: '',
    check: (file: string) => file === '' || parseCertificates(readText(file)),
    about:
      "File with the CA certificates (PEM) that sign the processes' certificates. Use a CA for this purpose only: every holder of a certificate from it may connect. During a CA rotation the file contains both.",
  },
} as const satisfies SettingTable;

/** The profile of rate limits. */
export const limitSettings = {
  limits: {
    env: 'BAILIWICK_LIMITS',
    kind: 'text',
    fallback: 'standard',
    check: oneOf('standard', 'strict', 'off'),
    about:
      "Rate limits of the operations without credentials, of Events_Publish, of a tenant's invitations and of the mails to one address: standard, strict (for public installations) or off (for load tests). With strict, each gateway also limits a session to 600 and a bot key to 3000 calls per minute.",
  },
} as const satisfies SettingTable;

function assertWebUrl(text: string): void {
  readWebUrl(text);
}

function readWebUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('must begin with http:// or https://');
  return url;
}

// Other addresses are built by appending to this URL.
function assertBase(url: string): void {
  const { username, password } = readWebUrl(url);
  if (username + password !== '' || /[?#]/.test(url))
    throw new Error('must contain only a host, a port and a path');
}

/** For processes that call addresses that tenants choose. */
export const egressSettings = {
  egressAllowHosts: {
    env: 'BAILIWICK_EGRESS_ALLOW_HOSTS',
    kind: 'list',
    fallback: '',
    about:
      'Host names and addresses of receivers that bypass the egress guard, including its rules for plain http and ports; user names and passwords in a URL are still rejected. For receivers inside the cluster; otherwise leave it empty.',
  },
  egressAllowCidrs: {
    env: 'BAILIWICK_EGRESS_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    check: (cidrs: string[]) => egressRules({ hosts: [], cidrs, ports: [] }),
    about: 'Networks of receivers that bypass the egress guard.',
  },
  egressPorts: {
    env: 'BAILIWICK_EGRESS_PORTS',
    kind: 'list',
    fallback: '',
    check: (ports: string[]) => egressRules({ hosts: [], cidrs: [], ports }),
    about: 'Ports that receivers may use besides 443 and 8443.',
  },
  egressResolver: {
    env: 'BAILIWICK_EGRESS_RESOLVER',
    kind: 'text',
    fallback: '',
    check: (resolver: string) => egressRules({ hosts: [], cidrs: [], ports: [], resolver }),
    about:
      "The DNS server for receivers' host names, such as 10.0.0.10:53. Empty = the host's own resolver.",
  },
  egressProxyUrl: {
    env: 'BAILIWICK_EGRESS_PROXY_URL',
    kind: 'text',
    fallback: '',
    check: (url: string) => url === '' || parseProxy(url),
    about:
      'An HTTP proxy for all requests to receivers, http://user:password@host:port. It must support CONNECT to the checked address. Empty = no proxy.',
  },
} as const satisfies SettingTable;

/** The rules of the egress guard for these settings. */
export const egressRulesOf = ({
  egressAllowHosts: hosts,
  egressAllowCidrs: cidrs,
  egressPorts: ports,
  egressResolver: resolver,
}: Settings<typeof egressSettings>) => egressRules({ hosts, cidrs, ports, resolver });

/** The URL of the installation. */
export const publicUrlSettings = {
  publicUrl: {
    env: 'BAILIWICK_PUBLIC_URL',
    kind: 'url',
    check: assertBase,
    about:
      'The URL that clients reach the gateway at, including a path prefix. Links in mails are always built from it.',
  },
} as const satisfies SettingTable;

/** The origins of web applications. */
export const allowedOriginsSettings = {
  allowedOrigins: {
    env: 'BAILIWICK_ALLOWED_ORIGINS',
    kind: 'list',
    fallback: '',
    about:
      "Origins (such as https://app.example.com) whose pages may call with the session cookie, and that users may return to after signing in, in addition to the public URL's origin.",
  },
} as const satisfies SettingTable;

/** Where users go after a sign-in. */
export const returnSettings = {
  ...publicUrlSettings,
  ...allowedOriginsSettings,
  appUrl: {
    env: 'BAILIWICK_APP_URL',
    kind: 'text',
    fallback: '',
    check: (url: string) => url === '' || assertWebUrl(url),
    about:
      'The application that users go to if they sign in without an address to return to. They may return to its whole origin. Empty = they stay on the sign-in page.',
  },
} as const satisfies SettingTable;

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

function assertInstallation(id: string): void {
  if (id !== '' && !idForm.test(id))
    throw new Error('must be at most 128 letters, digits, dots, hyphens and underscores');
}

/** The id of the installation. */
export const installationSettings = {
  installationId: {
    env: 'BAILIWICK_INSTALLATION_ID',
    kind: 'text',
    fallback: '',
    check: assertInstallation,
    about:
      "The installation's id, the same for all its processes. The first migration stores it in the database, and streams of the broker carry it. A process stops if the database or the streams belong to another installation. Empty = the id in the database, which gets a random one.",
  },
} as const satisfies SettingTable;

function assertPrefix(prefix: string): void {
  if (!/^[A-Za-z0-9_-]{0,32}$/.test(prefix) || /^(evt|task|bailiwick|_inbox)$/i.test(prefix))
    throw new Error(
      'must be at most 32 letters, digits, hyphens and underscores, and not evt, task or bailiwick',
    );
}

/** The address of the broker. */
export const brokerSettings = {
  natsUrl: {
    env: 'NATS_URL',
    kind: 'url',
    about:
      'The NATS server with JetStream: nats://, or tls:// to require TLS, with user and password if the server needs them. For a CA that the system does not trust, set NODE_EXTRA_CA_CERTS, which is read at the start.',
  },
  natsPrefix: {
    env: 'BAILIWICK_NATS_PREFIX',
    kind: 'text',
    fallback: '',
    check: assertPrefix,
    about:
      'Prefix of all streams and subjects at the NATS server, the same for all processes of an installation. For installations that share a NATS account; an account of its own is better. Empty = none. A change makes new streams: stop all processes first, and only when the streams are empty.',
  },
} as const satisfies SettingTable;

/** A service's database: its own, or `DATABASE_URL`, which all services share. */
export const databaseSettings = <Service extends string>(service: Service) =>
  ({
    databaseUrl: {
      env: `BAILIWICK_${service.toUpperCase() as Uppercase<Service>}_DATABASE_URL`,
      orElse: 'DATABASE_URL',
      kind: 'url',
      about: `The PostgreSQL database with the schema ${service}. The default is DATABASE_URL. The login must be a member of the role bailiwick_${service}_<name of the database>, which the migrations make. Use ?sslmode=verify-full for TLS, and &sslrootcert=<file> for a CA that the system does not trust: the file is read for each connection.`,
    },
    databasePool: {
      env: 'BAILIWICK_DATABASE_POOL',
      kind: 'int',
      fallback: '10',
      check: atLeast(1),
      about: 'Maximum number of database connections of one process.',
    },
  }) as const satisfies SettingTable;

const peers = {
  identityUrl: {
    env: 'BAILIWICK_IDENTITY_URL',
    kind: 'url',
    about:
      'The address of identity: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
  accessUrl: {
    env: 'BAILIWICK_ACCESS_URL',
    kind: 'url',
    about:
      'The address of access: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
  ssoUrl: {
    env: 'BAILIWICK_SSO_URL',
    kind: 'url',
    about:
      'The address of sso: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
  notificationsUrl: {
    env: 'BAILIWICK_NOTIFICATIONS_URL',
    kind: 'url',
    about:
      'The address of notifications: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
} as const satisfies SettingTable;

/** The address of identity. */
export const identityPeer = { identityUrl: peers.identityUrl } as const;
/** The address of access. */
export const accessPeer = { accessUrl: peers.accessUrl } as const;
/** The address of sso. */
export const ssoPeer = { ssoUrl: peers.ssoUrl } as const;
/** The address of notifications. */
export const notificationsPeer = { notificationsUrl: peers.notificationsUrl } as const;

const hop = { ...callerSettings, ...verifierSettings, ...tlsSettings, ...peers } as const;

/** A service's settings without those for calls between processes. Its factory may use only these. */
export type OwnSettings<Table extends SettingTable> = Settings<Omit<Table, keyof typeof hop>>;

/** Removes those settings from a table, for a process that runs all services and calls them directly. */
export function withoutHop<Table extends SettingTable>(
  table: Table,
): Omit<Table, keyof typeof hop> {
  return Object.fromEntries(
    Object.entries(table).filter(([name]) => !Object.hasOwn(hop, name)),
  ) as Omit<Table, keyof typeof hop>;
}
