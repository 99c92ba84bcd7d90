import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, namesOf, type SettingTable } from '@bailiwick/process';
import { root } from './paths.ts';
import type { Secrets, ServiceName } from './secrets.ts';

/**
 * Ports for calls between the processes, over HTTP and over gRPC, and for probes. The gateway has
 * no gRPC.
 */
export type Ports = { rpc: number; grpc: number; admin: number };

/** The addresses and files that the processes' settings are made of. */
export type Wiring = {
  host: string;
  publicUrl: string;
  ports: Record<ServiceName, Ports>;
  databaseUrl: string;
  natsUrl: string;
  smtpUrl: string;
  secrets: Secrets;
  /** A folder on the disk of the database and the broker, if they are on this machine. */
  dataDir?: string;
  /** Without it the processes take the id in the database. */
  installationId?: string;
};

type Variable = (
  wiring: Wiring,
  service: ServiceName,
  inherited: Environment,
) => string | undefined;

const urlOf =
  (service: ServiceName): Variable =>
  ({ host, ports }, _, inherited) =>
    inherited['BAILIWICK_RPC'] === 'grpc'
      ? `dns:///${host}:${ports[service].grpc}`
      : `${schemeOf(inherited)}://${host}:${ports[service].rpc}`;

const schemeOf = (inherited: Environment): string =>
  inherited['BAILIWICK_TLS_CERT_FILE'] ? 'https' : 'http';

const variables: Record<string, Variable> = {
  BAILIWICK_HOST: (wiring) => wiring.host,
  PORT: (wiring, service) => String(wiring.ports[service].rpc),
  // For a process that holds the gateway as well as services, which share a port.
  BAILIWICK_RPC_PORT: (wiring) => String(wiring.ports.access.rpc),
  BAILIWICK_GRPC_PORT: (wiring, service) => String(wiring.ports[service].grpc),
  BAILIWICK_ADMIN_PORT: (wiring, service) => String(wiring.ports[service].admin),
  BAILIWICK_PUBLIC_URL: (wiring) => wiring.publicUrl,
  BAILIWICK_CALLER_KEY_FILE: (wiring, service) => wiring.secrets.callerKeyFile(service),
  BAILIWICK_CALLER_PUBLIC_KEYS_DIR: (wiring) => wiring.secrets.publicKeysDir,
  BAILIWICK_KEY_RING_FILE: (wiring) => wiring.secrets.keyRingFile,
  BAILIWICK_PLATFORM_KEY_FILE: (wiring) => wiring.secrets.platformKeyFile,
  BAILIWICK_WORKER_TOKEN_FILE: (wiring) => wiring.secrets.workerTokenFile,
  BAILIWICK_IDENTITY_URL: urlOf('identity'),
  BAILIWICK_ACCESS_URL: urlOf('access'),
  BAILIWICK_SSO_URL: urlOf('sso'),
  BAILIWICK_NOTIFICATIONS_URL: urlOf('notifications'),
  BAILIWICK_DATA_DIR: (wiring) => wiring.dataDir,
  DATABASE_URL: (wiring) => wiring.databaseUrl,
  BAILIWICK_INSTALLATION_ID: (wiring) => wiring.installationId,
  NATS_URL: (wiring) => wiring.natsUrl,
  BAILIWICK_SMTP_URL: (wiring) => wiring.smtpUrl,
  BAILIWICK_MAIL_FROM: () => 'Bailiwick <no-reply@bailiwick.localhost>',
  // Allows receivers on this machine over plain HTTP. Only the local start does this.
  BAILIWICK_EGRESS_ALLOW_HOSTS: () => 'localhost',
  BAILIWICK_EGRESS_ALLOW_CIDRS: () => '127.0.0.0/8,::1/128',
  // Short waits, so that a newcomer who breaks a receiver sees all retries at once instead of over
  // three days.
  BAILIWICK_RETRY_SCHEDULE: () => '0s,1s,2s,5s,10s',
};

/**
 * Keep a process small under large bodies; the image sets the same. Without them a round of hostile
 * bodies leaves a gateway 130 MB larger: V8 seldom collects a large young generation, and the C
 * library keeps the memory of small buffers.
 */
export const memoryOptions = {
  NODE_OPTIONS: '--max-semi-space-size=8',
  MALLOC_MMAP_THRESHOLD_: '32768',
};

/** The image sets the same two options. */
const nodeOptions = `${memoryOptions.NODE_OPTIONS} --import=${pathToFileURL(join(root, 'deploy/resolution.ts')).href}`;

/**
 * Names that many programs use: a user sets them for the local start, not for each of its
 * processes.
 */
const decidedHere = new Set([
  'PORT',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'DATABASE_READ_URL',
  'DATABASE_READ_URL_FILE',
  'NATS_URL',
  'NATS_URL_FILE',
]);

/**
 * Read by the local start itself, and by the command-line tool, whose variables a shell may have
 * set.
 */
const ownNames = [
  'BAILIWICK_BOT',
  'BAILIWICK_DATA',
  'BAILIWICK_ACCESS_APPLY_BOT',
  'BAILIWICK_ACCESS_FILE',
  'BAILIWICK_ACCESS_NEW_FILE',
  'BAILIWICK_ACCESS_PACKAGE',
  'BAILIWICK_ACCESS_PRUNE',
  'BAILIWICK_GITLAB_TOKEN',
  'BAILIWICK_INBOX_PORT',
  'BAILIWICK_INFRA',
  'BAILIWICK_JOB_TOKEN',
  'BAILIWICK_TENANT',
  'BAILIWICK_TOKEN',
  'BAILIWICK_URL',
];

/**
 * The environment of one process. It only has the BAILIWICK_ variables in the process's settings table,
 * because a process does not start with a BAILIWICK_ variable that it does not know. The user's
 * settings take precedence over the local start's.
 */
export function environmentOf(
  service: ServiceName,
  table: SettingTable,
  wiring: Wiring,
  inherited: Environment,
): Environment {
  const environment: Environment = {
    ...memoryOptions,
    NODE_OPTIONS: nodeOptions,
    ...inheritable(inherited),
  };
  const fromUser = (name: string): string | undefined =>
    decidedHere.has(name) ? undefined : inherited[name];
  for (const name of namesIn(table)) {
    // A process prefers a URL to the file that holds one.
    const ours =
      fromUser(`${name}_FILE`) === undefined
        ? variables[name]?.(wiring, service, inherited)
        : undefined;
    const chosen = fromUser(name) ?? ours;
    if (chosen !== undefined) environment[name] = chosen;
  }
  return environment;
}

/**
 * BAILIWICK_ variables that no process reads: otherwise a misspelt one would have no effect and no
 * error.
 */
export function unknownNames(tables: readonly SettingTable[], inherited: Environment): string[] {
  const names = new Set([...ownNames, ...tables.flatMap(namesIn)]);
  return Object.keys(inherited).filter((name) => name.startsWith('BAILIWICK_') && !names.has(name));
}

const namesIn = (table: SettingTable): string[] => Object.values(table).flatMap(namesOf);

/** The host's own variables, without npm's. */
function inheritable(environment: Environment): Environment {
  const isOurs = (name: string): boolean => name.startsWith('BAILIWICK_') || decidedHere.has(name);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !isOurs(name) && !name.startsWith('npm_')),
  );
}
