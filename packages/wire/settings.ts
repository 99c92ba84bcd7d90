import { oneOf, type Settings, type SettingTable, tlsSettings } from '@bailiwick/process';
import { parsePrivateKey, parsePublicKeys } from './caller-keys.ts';

// The settings of the calls between processes.

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

/** The port of a process that holds the gateway as well as services. */
export const rpcPortSettings = {
  rpcPort: {
    env: 'BAILIWICK_RPC_PORT',
    kind: 'int',
    fallback: '8082',
    about:
      'Port of the internal calls of a process that holds the gateway as well as services: its PORT is the one of the API.',
  },
} as const satisfies SettingTable;

export const peers = {
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

const rpcSettings = { ...callerSettings, ...verifierSettings, ...tlsSettings, ...peers } as const;

/** A service's settings without those for calls between processes. Its factory may use only these. */
export type OwnSettings<Table extends SettingTable> = Settings<
  Omit<Table, keyof typeof rpcSettings>
>;
