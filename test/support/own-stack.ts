import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { denoRuntime } from '@bailiwick/deploy/local/deno.ts';
import { environmentOf, type Wiring } from '@bailiwick/deploy/local/environment.ts';
import { startInbox } from '@bailiwick/deploy/local/inbox/inbox.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { type ManagedProcess, startProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import { ensureSecrets, type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { foldPorts, type ProcessPlan, shapes } from '@bailiwick/deploy/shapes.ts';
import { startTestBroker } from './broker.ts';
import { startBrokerCluster } from './broker-cluster.ts';
import { cacheDifferences } from './cache-differences.ts';
import { createTestDatabase } from './database.ts';
import { processOf, reach, type StackOptions, type Topology } from './harness.ts';
import { takePort } from './ports.ts';

// Runs the product with its own database, broker and inbox, and the processes as `npm start` runs
// them, on free ports. Removes everything at the end.

const root = path.resolve(import.meta.dirname, '../..');
/** A short limit of the restart delay, since tests kill processes more often than operators. */
export const longestPauseMs = 500;
const silent = { say: () => {}, relay: () => {}, print: () => {} };

/** The shape of each topology. */
export const shapeOf = {
  'five processes': 'services',
  'five processes over gRPC': 'services',
  'two processes': 'compact',
  'one process': 'single',
} as const satisfies Record<Topology, keyof typeof shapes>;

/** Chooses free ports for one replica of every process. */
export async function choosePorts(): Promise<Wiring['ports']> {
  const free = await Promise.all(Array.from({ length: 3 * serviceNames.length }, takePort));
  const port = () => free.pop() ?? 0;
  return Object.fromEntries(
    serviceNames.map((service) => [service, { rpc: port(), grpc: port(), admin: port() }]),
  ) as Wiring['ports'];
}

/**
 * Starts the product. `environment` overrides the settings of the local start. A test that stops
 * its database needs `ownServer`.
 */
export async function startOwnStack(
  topology: Topology,
  environment: Record<string, string> = {},
  options: StackOptions = {},
) {
  const {
    ownServer = false,
    brokers = 1,
    ports: chosen,
    database: localDatabase,
    ...run
  } = options;
  const startBroker = brokers === 3 ? startBrokerCluster : startTestBroker;
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-stack-'));
  const secrets = ensureSecrets(folder);
  const [database, broker, inbox, ports] = await Promise.all([
    localDatabase ?? createTestDatabase({ ownServer }),
    startBroker(path.join(folder, 'nats')),
    startInbox({ httpPort: 0 }),
    chosen ?? choosePorts(),
  ]);
  const wiring: Wiring = {
    host: loopback,
    ports: foldPorts(shapeOf[topology], ports),
    publicUrl: '',
    databaseUrl: database.url,
    natsUrl: broker.url,
    smtpUrl: inbox.smtpUrl,
    secrets,
    dataDir: path.join(folder, 'logs'),
  };
  wiring.publicUrl = `http://${loopback}:${wiring.ports.gateway.rpc}`;
  const processes = startProcesses({
    topology,
    wiring,
    logDir: path.join(folder, 'logs'),
    environment,
    ...run,
  });
  const running = [...processes.values()];

  const stack = {
    ...reach({ topology, folder, wiring, inboxUrl: inbox.url }),
    processes,
    pid: (service: ServiceName) => managed(service).pid() ?? 0,
    isRunning: (service: ServiceName) => managed(service).pid() !== undefined,

    /** Sends SIGKILL or another signal to a service's process, which is then restarted. */
    kill(service: ServiceName, signal: NodeJS.Signals = 'SIGKILL'): void {
      const pid = managed(service).pid();
      if (pid === undefined) throw new Error(`cannot kill ${service}: it is not running`);
      process.kill(pid, signal);
    },

    broker,
    stopBroker: () => broker.stop(),
    startBroker: () => broker.start(),
    stopDatabase: async () => database.server?.stop(),
    killDatabase: async () => database.server?.kill(),
    startDatabase: async () => database.server?.start(),

    ready: () => waitUntilReady(readyUrls(wiring), running, AbortSignal.timeout(60_000)),

    async stop(): Promise<void> {
      await Promise.all(running.map((one) => one.stop()));
      await Promise.all([broker.remove(), inbox.stop(), database.drop()]);
      const differences = cacheDifferences(path.join(folder, 'logs'));
      rmSync(folder, { recursive: true, force: true });
      if (differences.length > 0) throw new Error(differences.join('\n'));
    },
  };

  function managed(service: ServiceName): ManagedProcess {
    const one = processes.get(processOf(topology, service));
    if (!one) throw new Error(`${service} is not running`);
    return one;
  }

  try {
    await stack.ready();
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return stack;
}

type Replica = Pick<StackOptions, 'deno' | 'version'> & {
  topology: Topology;
  wiring: Wiring;
  logDir: string;
  environment: Record<string, string>;
};

/** Starts the processes of one replica, keyed by name. */
export function startProcesses({
  topology,
  wiring,
  logDir,
  environment,
  ...run
}: Replica): Map<string, ManagedProcess> {
  const { deno = everythingOnDeno(), version = { root, settingTables } } = run;
  const inherited = {
    // Tests do not use the host's DNS servers.
    BAILIWICK_DNS_RESOLVERS: `${loopback}:9`,
    ...process.env,
    ...(topology === 'five processes over gRPC' && { BAILIWICK_RPC: 'grpc' }),
    ...environment,
  };
  const start = ({ name, services, script, settings }: ProcessPlan) => {
    const [first, ...others] = services;
    // An older version has no shape but five processes, and settings of its own.
    const table = others.length === 0 ? version.settingTables[first] : settings;
    const env = environmentOf(first, table, wiring, inherited);
    const runtime = deno === undefined ? undefined : denoRuntime(deno, { services, env });
    const spec = { name, script: path.join(version.root, script), env, runtime };
    return [name, startProcess(spec, { logDir, console: silent, longestPauseMs })] as const;
  };
  return new Map(shapes[shapeOf[topology]].map(start));
}

/** The Deno that runs the processes of every stack under `npm test -- --deno`. */
const everythingOnDeno = () =>
  process.env['BAILIWICK_TEST_RUNTIME'] === 'deno' ? process.env['BAILIWICK_TEST_DENO'] : undefined;

function readyUrls({ ports }: Wiring): string[] {
  const admins = new Set(serviceNames.map((name) => ports[name].admin));
  return [ports.gateway.rpc, ...admins].map((port) => `http://${loopback}:${port}/readyz`);
}
