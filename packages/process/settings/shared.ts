import { parseCertificates } from '../certificates.ts';
import { oneOf, readText, type SettingTable } from './config.ts';

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
      "Rate limits of the operations without credentials, of Events_Publish and Events_PublishBatch, of a tenant's invitations and of the mails to one address: standard, strict (for public installations) or off (for load tests). With strict, each gateway also limits a session to 600 and a bot key to 3000 calls per minute.",
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
