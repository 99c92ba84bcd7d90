import { parsePrivateKey, parsePublicKeys } from './caller-keys.ts';
import { parseCertificates } from './certificates.ts';
import { atLeast, oneOf, readText, type Settings, type SettingTable } from './config.ts';
import { parseProxy } from './egress/proxy.ts';
import { egressRules } from './egress/rules.ts';
import { parseKeyRing } from './seal.ts';

// The settings that several processes share. A service's own stand in its settings.ts.

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
    about: 'Port of the operations (gateway) or of the calls between the services.',
  },
  adminPort: {
    env: 'BAILIWICK_ADMIN_PORT',
    kind: 'int',
    fallback: '9464',
    about: 'Port of the probes /startupz, /readyz and /livez, and of /metrics.',
  },
  preDrainMs: {
    env: 'BAILIWICK_PRE_DRAIN_MS',
    kind: 'int',
    fallback: '0',
    about:
      'How long a process that was told to stop still takes calls, so that load balancers learn of it. Milliseconds.',
  },
} as const satisfies SettingTable;

export const callerSettings = {
  callerKey: {
    env: 'BAILIWICK_CALLER_KEY_FILE',
    kind: 'file',
    check: parsePrivateKey,
    about:
      "File with the process's own Ed25519 private key (PKCS #8 PEM), with which it signs its calls to the services. Read again when it changes: its public key has to be with the others before.",
  },
  rpc: {
    env: 'BAILIWICK_RPC',
    kind: 'text',
    fallback: 'http',
    check: oneOf('http', 'grpc'),
    about:
      'How the process calls the services: http (the services are named by http:// addresses, or https:// with BAILIWICK_TLS_CERT_FILE) or grpc (by gRPC targets, such as dns:///identity:8081).',
  },
} as const satisfies SettingTable;

export const verifierSettings = {
  callerPublicKeys: {
    env: 'BAILIWICK_CALLER_PUBLIC_KEYS_DIR',
    kind: 'directory',
    check: (keys: ReadonlyMap<string, string>) => [...keys.values()].forEach(parsePublicKeys),
    about:
      'Directory with the public keys (SPKI PEM) of the processes that may call, each named <process>.pub. A file may hold two, one after the other, while a process changes its key. Read again when they change.',
  },
  grpcPort: {
    env: 'BAILIWICK_GRPC_PORT',
    kind: 'int',
    fallback: '8081',
    about:
      'Port of the same calls over HTTP/2, for gRPC and Connect clients, with the standard health service. 0 takes a free one.',
  },
} as const satisfies SettingTable;

/** Of the calls between the processes. The three go together. */
export const tlsSettings = {
  tlsCert: {
    env: 'BAILIWICK_TLS_CERT_FILE',
    kind: 'text',
    fallback: '',
    check: (file: string) => file === '' || parseCertificates(readText(file)),
    about:
      "File with the process's certificate (PEM, with the intermediate ones), for servers and for clients, with the name that others call it by. With it the calls between the services are over TLS, both ends with a certificate, and addresses begin with https://; empty: without TLS. Read again when it changes, like the two below.",
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
      "File with the certificates (PEM) of the authority that signs the processes' certificates, and of nobody else: whoever has one of it may connect. Two while one follows the other.",
  },
} as const satisfies SettingTable;

export const keyRingSettings = {
  keyRing: {
    env: 'BAILIWICK_KEY_RING_FILE',
    kind: 'file',
    check: parseKeyRing,
    about:
      'File with the key-encryption keys, one id:base64 of 32 bytes a line. The first one seals, all of them open. Read again when it changes; docs/keys.md says in which steps.',
  },
} as const satisfies SettingTable;

export const limitSettings = {
  limits: {
    env: 'BAILIWICK_LIMITS',
    kind: 'text',
    fallback: 'standard',
    check: oneOf('standard', 'strict', 'off'),
    about:
      "Rate limits of the operations that need no credential, of Events_Publish, of a tenant's invitations and of the mails to one address: standard, strict (for installations open to the public) or off (for load tests). With strict each gateway also takes 600 calls a minute from a session and 3000 from a bot's key, and no more.",
  },
} as const satisfies SettingTable;

// Addresses are made by appending to it.
function assertBase(url: string): void {
  const { protocol, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new Error('must begin with http:// or https://');
  if (username + password !== '' || /[?#]/.test(url))
    throw new Error('must have nothing but a host, a port and a path');
}

/** Of the processes that call addresses which tenants choose. */
export const egressSettings = {
  egressAllowHosts: {
    env: 'BAILIWICK_EGRESS_ALLOW_HOSTS',
    kind: 'list',
    fallback: '',
    about:
      'Names and addresses of receivers for which the egress guard is lifted, plain http and any port included; user names and passwords in a URL stay refused. For receivers inside the cluster; empty otherwise.',
  },
  egressAllowCidrs: {
    env: 'BAILIWICK_EGRESS_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    check: (cidrs: string[]) => egressRules({ hosts: [], cidrs, ports: [] }),
    about: 'Networks of receivers for which the egress guard is lifted.',
  },
  egressPorts: {
    env: 'BAILIWICK_EGRESS_PORTS',
    kind: 'list',
    fallback: '',
    check: (ports: string[]) => egressRules({ hosts: [], cidrs: [], ports }),
    about: 'Ports receivers may use besides 443 and 8443.',
  },
  egressResolver: {
    env: 'BAILIWICK_EGRESS_RESOLVER',
    kind: 'text',
    fallback: '',
    check: (resolver: string) => egressRules({ hosts: [], cidrs: [], ports: [], resolver }),
    about:
      "The DNS server that names of receivers are looked up at, such as 10.0.0.10:53. The host's own where it is empty.",
  },
  egressProxyUrl: {
    env: 'BAILIWICK_EGRESS_PROXY_URL',
    kind: 'text',
    fallback: '',
    check: (url: string) => url === '' || parseProxy(url),
    about:
      'An HTTP proxy for all requests to receivers, http://user:password@host:port, which is asked for a tunnel (CONNECT) to the checked address. None where it is empty.',
  },
} as const satisfies SettingTable;

/** What the guard in front of such addresses lets through. */
export const egressRulesOf = ({
  egressAllowHosts: hosts,
  egressAllowCidrs: cidrs,
  egressPorts: ports,
  egressResolver: resolver,
}: Settings<typeof egressSettings>) => egressRules({ hosts, cidrs, ports, resolver });

export const publicUrlSettings = {
  publicUrl: {
    env: 'BAILIWICK_PUBLIC_URL',
    kind: 'url',
    check: assertBase,
    about:
      'The address clients reach the gateway at, a path prefix included. Links in mails are built from it and from nothing else.',
  },
} as const satisfies SettingTable;

export const allowedOriginsSettings = {
  allowedOrigins: {
    env: 'BAILIWICK_ALLOWED_ORIGINS',
    kind: 'list',
    fallback: '',
    about:
      "Origins (such as https://app.example.com) whose pages may call with the session cookie, and to which people may return from single sign-on, besides the public URL's own.",
  },
} as const satisfies SettingTable;

export const brokerSettings = {
  natsUrl: {
    env: 'NATS_URL',
    kind: 'url',
    about:
      'The NATS server with JetStream: nats://, or tls:// where it is to be over TLS and nothing else, with user and password where it wants them. An authority that the system does not know goes into NODE_EXTRA_CA_CERTS, which is read at the start.',
  },
} as const satisfies SettingTable;

/** A service's database. `DATABASE_URL` serves all of them unless a service has its own. */
export const databaseSettings = <Service extends string>(service: Service) =>
  ({
    databaseUrl: {
      env: `BAILIWICK_${service.toUpperCase() as Uppercase<Service>}_DATABASE_URL`,
      orElse: 'DATABASE_URL',
      kind: 'url',
      about: `The PostgreSQL database that holds the schema ${service}. Read from DATABASE_URL where it is not set. The login needs to be a member of the role bailiwick_${service}. With ?sslmode=verify-full over TLS, and with &sslrootcert=<file> for an authority that the system does not know: read again with each connection.`,
    },
    databasePool: {
      env: 'BAILIWICK_DATABASE_POOL',
      kind: 'int',
      fallback: '10',
      check: atLeast(1),
      about: 'Database connections of one process of a service, at most.',
    },
  }) as const satisfies SettingTable;

const peers = {
  identityUrl: {
    env: 'BAILIWICK_IDENTITY_URL',
    kind: 'url',
    about:
      'Where identity listens: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
  accessUrl: {
    env: 'BAILIWICK_ACCESS_URL',
    kind: 'url',
    about:
      'Where access listens: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
  ssoUrl: {
    env: 'BAILIWICK_SSO_URL',
    kind: 'url',
    about:
      'Where sso listens: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
  notificationsUrl: {
    env: 'BAILIWICK_NOTIFICATIONS_URL',
    kind: 'url',
    about:
      'Where notifications listens: http://host:8080 (https:// with BAILIWICK_TLS_CERT_FILE) or, with BAILIWICK_RPC=grpc, dns:///host:8081.',
  },
} as const satisfies SettingTable;

export const identityPeer = { identityUrl: peers.identityUrl } as const;
export const accessPeer = { accessUrl: peers.accessUrl } as const;
export const ssoPeer = { ssoUrl: peers.ssoUrl } as const;
export const notificationsPeer = { notificationsUrl: peers.notificationsUrl } as const;

const hop = { ...callerSettings, ...verifierSettings, ...tlsSettings, ...peers } as const;

/** A service's settings without those that only calls between processes need: what its factory may rely on. */
export type OwnSettings<Table extends SettingTable> = Settings<Omit<Table, keyof typeof hop>>;

/** The same of a table: for a process that holds all services and calls them directly. */
export function withoutHop<Table extends SettingTable>(
  table: Table,
): Omit<Table, keyof typeof hop> {
  return Object.fromEntries(
    Object.entries(table).filter(([name]) => !Object.hasOwn(hop, name)),
  ) as Omit<Table, keyof typeof hop>;
}
