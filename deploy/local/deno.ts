import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { readText } from '@bailiwick/process';
import { denoVersion, oldestDeno } from '../versions.ts';
import { isAtLeast, which } from './nats-server.ts';
import { cacheDir, root } from './paths.ts';
import { loopback } from './ports.ts';
import type { ProcessSpec, Runtime } from './processes.ts';
import type { ServiceName } from './secrets.ts';

export type FindOptions = {
  /** The cache for a fetched Deno. */
  cache?: string;
  path?: string;
  signal?: AbortSignal;
};

const fetchLimitMs = 10 * 60_000;

/**
 * Returns the host's Deno if it is new enough, else the npm package's. That one is fetched on first
 * use, because starts on Node do not need its 92 MB.
 */
export async function findDeno(
  log: (line: string) => void,
  options: FindOptions = {},
): Promise<string> {
  const own = which('deno', options.path ?? process.env['PATH'] ?? '');
  if (own !== undefined && (await isUsable(own, log))) return own;
  const folder = join(options.cache ?? cacheDir, `deno-${denoVersion}`);
  const fetched = findIn(folder) ?? (await fetchDeno(folder, log, options.signal));
  if (await isUsable(fetched, log)) return fetched;
  throw new Error(`${fetched} does not run here: put Deno ${oldestDeno} or newer on the PATH`);
}

async function isUsable(command: string, log: (line: string) => void): Promise<boolean> {
  const text = await promisify(execFile)(command, ['--version'], { timeout: 20_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const version = /^deno (\d+\.\d+\.\d+)/.exec(text)?.[1];
  if (version?.startsWith('2.') && isAtLeast(version, oldestDeno)) return true;
  log(
    `${command} is ${version ?? 'not working'}; Deno 2, ${oldestDeno} or newer, is needed, looking further`,
  );
  return false;
}

const findIn = (folder: string): string | undefined =>
  globSync('node_modules/@deno/*/deno', { cwd: folder }).map((name) => join(folder, name))[0];

/** Skips the package's install script, which only links the program to another place. */
async function fetchDeno(
  folder: string,
  log: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  log(`fetching Deno ${denoVersion}, once (92 MB) …`);
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}.making-`);
  try {
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
    const settings = { timeout: fetchLimitMs, maxBuffer: 1 << 26, ...(signal && { signal }) };
    await promisify(execFile)(
      'npm',
      ['install', '--prefix', making, ...flags, `deno@${denoVersion}`],
      settings,
    );
    if (findIn(making) === undefined)
      throw new Error(`there is no Deno for ${process.platform}-${process.arch}`);
    // Rename, so that other starts never see an incomplete folder. A faster concurrent start's copy
    // is as good.
    if (!existsSync(folder)) renameSync(making, folder);
  } catch (error) {
    signal?.throwIfAborted();
    const { stderr, message } = error as { stderr?: string; message: string };
    const reason = (stderr || message).trim().split('\n').slice(-3).join(' | ');
    throw new Error(
      `fetching Deno failed: ${reason}\nPut Deno ${oldestDeno} or newer on the PATH, or start without --deno.`,
    );
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return findIn(folder) ?? '';
}

/**
 * Deno downloads and writes nothing, and treats a missing permission as an error instead of a
 * prompt.
 */
const isolation = [
  '--node-modules-dir=manual',
  '--no-lock',
  '--no-remote',
  '--cached-only',
  '--no-prompt',
];

/** Deno's compile cache, beside the other caches. */
export const denoEnvironment = {
  DENO_DIR: join(cacheDir, 'deno'),
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
};

/** Deno's own test runner, and the tests that need no running product: one module is much faster. */
export const denoTest = ['test', '--allow-all', '--no-check', '--cached-only'];
export const unitTests = ['test/beside-code.ts', '--', 'services', 'gateway', 'packages/contract'];

/** A process, and the services that it holds. */
type DenoProcess = Pick<ProcessSpec, 'env'> & { services: readonly ServiceName[] };

/** The command that runs a process on Deno, with the permissions that it needs. */
export function denoRuntime(command: string, spec: DenoProcess): Runtime {
  return { command, args: ['run', ...isolation, ...permissions(spec)], env: denoEnvironment };
}

/**
 * These services call addresses that tenants choose. packages/egress decides which of them
 * are allowed.
 */
const dialsTenants = new Set<ServiceName>(['notifications', 'sso']);
/** Password hashing uses native addons, the only ones. */
const hashesPasswords = new Set<ServiceName>(['identity']);

/**
 * The permissions of a process: listen; connect to this host and to the hosts in its settings; read
 * its own folder, the libraries and the files in its settings. No process writes files or starts
 * programs.
 */
function permissions({ services, env }: DenoProcess): string[] {
  const settings = Object.entries(env).filter(([variable]) =>
    /^(BAILIWICK|OTEL)_|^(DATABASE|NATS)_URL$/.test(variable),
  );
  const named = settings
    .filter(([variable]) => /_(FILE|DIR|BREACHED_PASSWORDS)$/.test(variable))
    .map(([, path = '']) => path);
  const folders = services.map((name) =>
    join(root, name === 'gateway' ? 'gateway' : `services/${name}`),
  );
  const dials = services.some((name) => dialsTenants.has(name));
  const hosts = settings.flatMap(([variable, text = '']) =>
    hostsIn(variable.endsWith('_URL_FILE') ? readText(text) : text),
  );
  // The gateway serves the built documents and the built console, if there are any.
  const built = ['site/dist', 'console/dist'].map((folder) => join(root, folder));
  const served = services.includes('gateway') ? built : [];
  // Settings of the brand and of languages depend on the shipped texts.
  const texts = join(root, 'packages/texts/locales');
  const read = [...folders, join(root, 'node_modules'), ...served, texts, ...named];
  const rest: string[] = [];
  if (services.some((name) => hashesPasswords.has(name))) {
    // The addons' loaders read this file to find the host's C library.
    read.push('/usr/bin/ldd');
    const addons = globSync('node_modules/.pnpm/@node-rs+{argon2,bcrypt}*', { cwd: root });
    rest.push(`--allow-ffi=${list(addons.map((folder) => join(root, folder)))}`);
  }
  // The host name, for the mail greeting, and the interfaces, which Deno reads before it queries
  // another DNS server.
  const system = dials ? ['hostname', 'networkInterfaces'] : [];
  if (env['BAILIWICK_DATA_DIR'] !== undefined) system.push('statfs');
  if (system.length > 0) rest.push(`--allow-sys=${list(system)}`);
  if (dials) rest.push('--allow-net');
  else rest.push(`--allow-net=${list([loopback, 'localhost', ...hosts])}`);
  // The whole environment: a misspelt setting is only found by looking at every name. environmentOf
  // chose its contents.
  return ['--allow-env', `--allow-read=${list(read)}`, ...rest];
}

/** Deno separates entries by commas, and reads a doubled comma as a literal one. */
const list = (values: readonly string[]): string =>
  [...new Set(values)].map((entry) => entry.replaceAll(',', ',,')).join(',');

/** The host in a setting that is an address: a URL, or a gRPC target (dns:///host:port). */
function hostsIn(text: string): string[] {
  const host = URL.parse(text.replace(/^(dns|ipv4|ipv6):\/{0,3}/, 'http://'))?.hostname ?? '';
  return host === '' ? [] : [host];
}
