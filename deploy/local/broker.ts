import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Daemon, startDaemon, tail } from './daemon.ts';
import { type BrokerProgram, isAtLeast } from './nats-server.ts';
import { endProcess, isRunning } from './pids.ts';
import { freePort, loopback } from './ports.ts';

export { findBroker } from './nats-server.ts';

export type Broker = {
  url: string;
  port: number;
  pid: number;
  exited: Promise<void>;
  /** Stops in order: acknowledged messages are on the disk. */
  stop(): Promise<void>;
  /** SIGKILL, for tests. To go on, start again with the same port and folder. */
  kill(): Promise<void>;
};

export type BrokerOptions = {
  binary: BrokerProgram;
  /** Holds the streams, and the server's configuration, pid and log. */
  storeDir: string;
  port?: number;
  logFile?: string;
  log(line: string): void;
};

const startLimitMs = 30_000;
/**
 * Above the product's own limit (256 KiB for body and headers), for applications that share the
 * broker.
 */
const maxPayload = 4 * 1024 * 1024;

/**
 * Runs a nats-server with JetStream on loopback. First stops a server that an earlier, killed start
 * left on the same folder.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const storeDir = resolve(options.storeDir);
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  const files = { config: join(storeDir, 'nats.conf'), pid: join(storeDir, 'nats.pid') };
  await stopLeftover(options, storeDir, files);
  const logFile = options.logFile ?? join(storeDir, 'nats.log');
  const deadline = Date.now() + startLimitMs;
  for (;;) {
    const port = options.port ?? (await freePort());
    const { command, args } =
      options.binary.image === undefined
        ? inProcess(options.binary, storeDir, port, files)
        : inContainer(options.binary, storeDir, port, files);
    const daemon = await startDaemon({ command, args, logFile, signal: 'SIGTERM' });
    if (await isReady(port, daemon, deadline))
      return handle(options.binary, storeDir, port, daemon);
    await daemon.kill();
    const output = tail(logFile, 8);
    if (!/address already in use/i.test(output) || Date.now() > deadline) {
      throw new Error(`nats-server did not start:\n${output}\n(${logFile})`);
    }
    await sleep(200);
  }
}

function handle(program: BrokerProgram, storeDir: string, port: number, daemon: Daemon): Broker {
  const kill = async (): Promise<void> => {
    // Killing Docker's client would leave the container running on the store.
    if (program.image !== undefined) await removeContainer(program, storeDir);
    await daemon.kill();
  };
  return {
    url: `nats://${loopback}:${port}`,
    port,
    pid: daemon.pid,
    exited: daemon.exited,
    stop: daemon.stop,
    kill,
  };
}

type Files = { config: string; pid: string };
type Command = { command: string; args: string[] };

function inProcess(program: BrokerProgram, storeDir: string, port: number, files: Files): Command {
  writeFileSync(
    files.config,
    brokerConfiguration({
      host: loopback,
      port,
      store: storeDir,
      version: program.version,
      pidFile: files.pid,
    }),
  );
  return { command: program.command, args: ['--config', files.config] };
}

function inContainer(
  program: BrokerProgram,
  storeDir: string,
  port: number,
  files: Files,
): Command {
  writeFileSync(
    files.config,
    brokerConfiguration({ host: '0.0.0.0', port: 4222, store: '/store', version: program.version }),
  );
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const placement = [
    '--name',
    containerName(storeDir),
    '--user',
    user,
    '--publish',
    `${loopback}:${port}:4222`,
    '--volume',
    `${storeDir}:/store`,
  ];
  return {
    command: program.command,
    args: ['run', '--rm', ...placement, program.image ?? '', '--config', '/store/nats.conf'],
  };
}

/**
 * The broker writes files before it acknowledges a publish, so a killed broker loses nothing. The
 * interval only limits the loss in a power cut, after which the services' outboxes publish again;
 * `always` would cost an fsync for each message.
 */
export function brokerConfiguration(settings: {
  host: string;
  port: number;
  store: string;
  version: string;
  pidFile?: string;
  /** The name of the server in its own messages. */
  name?: string;
}): string {
  const lines = [
    `listen: ${JSON.stringify(`${settings.host}:${settings.port}`)}`,
    `server_name: ${settings.name ?? 'bailiwick-local'}`,
    `max_payload: ${maxPayload}`,
    ...(settings.pidFile === undefined ? [] : [`pid_file: ${JSON.stringify(settings.pidFile)}`]),
    'jetstream {',
    `  store_dir: ${JSON.stringify(settings.store)}`,
    ...(isAtLeast(settings.version, '2.10.0') ? ['  sync_interval: "10s"'] : []),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The server sends one line of JSON on each connection, after JetStream has recovered its store.
 */
async function isReady(port: number, daemon: Daemon, deadline: number): Promise<boolean> {
  while (!daemon.hasExited() && Date.now() < deadline) {
    if (await answersAsBroker(`nats://${loopback}:${port}`)) return !daemon.hasExited();
    await sleep(25);
  }
  return false;
}

export async function answersAsBroker(url: string): Promise<boolean> {
  return (await readGreeting(new URL(url))).includes('"jetstream":true');
}

function readGreeting({ hostname, port }: URL): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(1000, end);
    socket.on('error', end);
    socket.on('close', end);
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (text.includes('\r\n')) end();
    });
  });
}

async function stopLeftover(options: BrokerOptions, storeDir: string, files: Files): Promise<void> {
  if (options.binary.image !== undefined) return removeContainer(options.binary, storeDir);
  if (!existsSync(files.pid)) return;
  const pid = Number(readFileSync(files.pid, 'utf8'));
  if (isRunning(pid, files.config)) {
    options.log(`stopping the broker that an earlier start left behind (process ${pid})`);
    await endProcess(pid, 'SIGTERM', 10_000);
  }
  rmSync(files.pid, { force: true });
}

function containerName(storeDir: string): string {
  return `bailiwick-nats-${createHash('sha256').update(storeDir).digest('hex').slice(0, 12)}`;
}

async function removeContainer(program: BrokerProgram, storeDir: string): Promise<void> {
  await promisify(execFile)(program.command, ['rm', '--force', containerName(storeDir)]).catch(
    () => undefined,
  );
}
