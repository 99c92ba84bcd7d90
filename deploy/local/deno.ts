import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { readText } from '@bailiwick/shared/config.ts';
import { denoVersion, oldestDeno } from '../versions.ts';
import { isAtLeast, which } from './nats-server.ts';
import { cacheDir, root } from './paths.ts';
import { loopback } from './ports.ts';
import type { ProcessSpec, Runtime } from './processes.ts';

export type FindOptions = {
  /** Where a Deno is kept that had to be fetched. */
  cache?: string;
  path?: string;
  signal?: AbortSignal;
};

const fetchLimitMs = 10 * 60_000;

/** The host's own Deno if it is new enough, else that of the npm package: fetched once, since nobody who runs on Node needs its 92 MB. */
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

/** Without its install script, which only links the program to another place. */
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
    // Renamed, so that nobody ever sees half of it. Where another start was faster, its one is as good.
    if (!existsSync(folder)) renameSync(making, folder);
  } catch (error) {
    signal?.throwIfAborted();
    const { stderr, message } = error as { stderr?: string; message: string };
    const reason = (stderr || message).trim().split('\n').slice(-3).join(' | ');
    throw new Error(
      `Deno could not be fetched: ${reason}\nPut Deno ${oldestDeno} or newer on the PATH, or start without --deno.`,
    );
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return findIn(folder) ?? '';
}

/** Nothing is downloaded or written down, and what was not allowed is an error and not a question. */
const isolation = [
  '--node-modules-dir=manual',
  '--no-lock',
  '--no-remote',
  '--cached-only',
  '--no-prompt',
];

/** What Deno compiles is kept with the rest that took time to get. */
export const denoEnvironment = {
  DENO_DIR: join(cacheDir, 'deno'),
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
};

/** Runs a process on Deno, with the permissions that it needs. */
export function denoRuntime(command: string, spec: Omit<ProcessSpec, 'runtime'>): Runtime {
  return { command, args: ['run', ...isolation, ...permissions(spec)], env: denoEnvironment };
}

/** These call addresses that tenants choose: which of them may be dialled is services/shared/egress's business. */
const dialsTenants = new Set(['notifications', 'sso', 'bailiwick']);
/** Password hashing is a native addon, and the only one. */
const hashesPasswords = new Set(['identity', 'bailiwick']);

/**
 * What a process may do: listen on and call this host and those that its settings name, read its own folder, the packages and
 * the files that its settings name. No process writes a file or starts a program.
 */
function permissions({ name, script, env }: Omit<ProcessSpec, 'runtime'>): string[] {
  const settings = Object.entries(env).filter(([variable]) =>
    /^(BAILIWICK|OTEL)_|^(DATABASE|NATS)_URL$/.test(variable),
  );
  const named = settings
    .filter(([variable]) => /_(FILE|DIR)$/.test(variable))
    .map(([, path = '']) => path);
  const folders =
    name === 'bailiwick'
      ? ['gateway', 'services'].map((folder) => join(root, folder))
      : [dirname(script)];
  const hosts = settings.flatMap(([variable, text = '']) =>
    hostsIn(variable.endsWith('_URL_FILE') ? readText(text) : text),
  );
  const read = [...folders, join(root, 'node_modules'), ...named];
  const rest: string[] = [];
  if (hashesPasswords.has(name)) {
    // Its loader looks there for the kind of C library that this host has.
    read.push('/usr/bin/ldd');
    rest.push(
      `--allow-ffi=${list(globSync('node_modules/.pnpm/@node-rs+argon2*', { cwd: root }).map((folder) => join(root, folder)))}`,
    );
  }
  // How it introduces itself to a mail server, and what Deno looks at before it asks another DNS server than the host's.
  if (dialsTenants.has(name)) rest.push('--allow-net', '--allow-sys=hostname,networkInterfaces');
  else rest.push(`--allow-net=${list([loopback, 'localhost', ...hosts])}`);
  // All of it: a misspelt setting is found by looking at every name. What is in it was chosen by environmentOf.
  return ['--allow-env', `--allow-read=${list(read)}`, ...rest];
}

/** Deno separates by commas, and takes two for one that is meant. */
const list = (values: readonly string[]): string =>
  [...new Set(values)].map((value) => value.replaceAll(',', ',,')).join(',');

/** The host of a setting that is an address: of a URL, or of a gRPC target (dns:///host:port). */
function hostsIn(text: string): string[] {
  const host = URL.parse(text.replace(/^(dns|ipv4|ipv6):\/{0,3}/, 'http://'))?.hostname ?? '';
  return host === '' ? [] : [host];
}
