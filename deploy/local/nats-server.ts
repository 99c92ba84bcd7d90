import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { images, natsVersion, oldestNats } from '../versions.ts';
import { cacheDir } from './paths.ts';
import { NoProgram } from './providers.ts';

/** A nats-server to run: a binary, or the Docker client with an image. */
export type BrokerProgram = { command: string; version: string; image?: string };

export type FindOptions = {
  /** The cache for built or fetched binaries. */
  cache?: string;
  path?: string;
  signal?: AbortSignal;
};

const builtName = `nats-server-${natsVersion}`;
const debianName = 'nats-server-debian';

type Search = {
  log(line: string): void;
  bin: string;
  path: string;
  /** Ends its server. */
  signal: AbortSignal;
  run(command: string, args: string[], options?: RunOptions): Promise<string>;
};
type RunOptions = { cwd?: string; env?: NodeJS.ProcessEnv; limitMs?: number };

/**
 * Looks for a broker on the PATH, in the cache, unpacks Debian's package or builds it with
 * `go install`, whichever is ready first, or uses a local Docker image. It installs nothing into the
 * system: built and fetched binaries go to a cache below node_modules.
 */
export async function findBroker(
  log: (line: string) => void,
  options: FindOptions = {},
): Promise<BrokerProgram> {
  // Debian installs servers into sbin, which is not on an ordinary user's PATH.
  const path =
    options.path ??
    [process.env['PATH'], '/usr/local/sbin', '/usr/sbin'].filter(Boolean).join(delimiter);
  const bin = join(options.cache ?? cacheDir, 'bin');
  const { signal = new AbortController().signal } = options;
  const search: Search = { log, bin, path, signal, run: runUntil(signal) };
  for (const find of [fromPath, fromCache, fromDebianOrGo, fromDocker]) {
    const program = await find(search);
    if (program) return program;
    options.signal?.throwIfAborted();
  }
  throw new NoProgram(
    [
      'a NATS server with JetStream is needed, and none was found. Any one of these will do:',
      '  - name a running one:      NATS_URL=nats://host:4222 npm start',
      '  - put nats-server on the PATH (2.9 or newer; `brew install nats-server`, `apt install nats-server`)',
      `  - install Go, and it is built from source: github.com/nats-io/nats-server/v2@v${natsVersion}`,
      `  - have Docker running: its image ${images.nats} is used`,
    ].join('\n'),
  );
}

const runUntil =
  (signal: AbortSignal): Search['run'] =>
  async (command, args, { limitMs = 10_000, ...rest } = {}) => {
    const settings = { ...rest, timeout: limitMs, maxBuffer: 1 << 26, signal };
    return (await promisify(execFile)(command, args, settings)).stdout;
  };

/** A binary that an earlier start has built or fetched. */
async function fromCache(search: Search): Promise<BrokerProgram | undefined> {
  for (const name of [builtName, debianName]) {
    const command = join(search.bin, name);
    const program = existsSync(command) ? await usable(search, command) : undefined;
    if (program) return program;
  }
  return undefined;
}

/** Which of the two is faster depends on the machine and its network, so both begin at once. */
async function fromDebianOrGo(search: Search): Promise<BrokerProgram | undefined> {
  const won = new AbortController();
  const signal = AbortSignal.any([search.signal, won.signal]);
  const own = { ...search, signal, run: runUntil(signal) };
  const attempts = [fromDebian, fromGo].map(
    async (find) => (await find(own)) ?? Promise.reject(new Error('no program')),
  );
  const first = await Promise.any(attempts).catch(() => undefined);
  won.abort();
  await Promise.allSettled(attempts);
  return first;
}

async function fromPath(search: Search): Promise<BrokerProgram | undefined> {
  const command = which('nats-server', search.path);
  return command === undefined ? undefined : usable(search, command);
}

async function fromGo(search: Search): Promise<BrokerProgram | undefined> {
  const go = which('go', search.path);
  if (go === undefined) return undefined;
  return cached(search, builtName, async (dir) => {
    search.log(`building nats-server ${natsVersion} with Go, once (about half a minute) …`);
    const env = { ...process.env, GOBIN: dir, GOFLAGS: '', CGO_ENABLED: '0' };
    await search.run(go, ['install', `github.com/nats-io/nats-server/v2@v${natsVersion}`], {
      env,
      limitMs: 10 * 60_000,
    });
    return join(dir, 'nats-server');
  });
}

/** Unpacks the package without installing it, which would also start a service on port 4222. */
async function fromDebian(search: Search): Promise<BrokerProgram | undefined> {
  const [apt, dpkg] = [which('apt-get', search.path), which('dpkg-deb', search.path)];
  if (apt === undefined || dpkg === undefined) return undefined;
  return cached(search, debianName, async (dir) => {
    search.log("fetching Debian's nats-server, once …");
    const options = { cwd: dir, limitMs: 3 * 60_000 };
    try {
      await search.run(apt, ['download', 'nats-server'], options);
    } catch (error) {
      if (process.getuid?.() !== 0) throw error;
      await search.run(apt, ['update'], options); // slim images have no package lists
      await search.run(apt, ['download', 'nats-server'], options);
    }
    const archive = readdirSync(dir).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw new Error('apt-get downloaded nothing');
    await search.run(dpkg, ['--extract', archive, 'unpacked'], options);
    return join(dir, 'unpacked/usr/sbin/nats-server');
  });
}

async function fromDocker(search: Search): Promise<BrokerProgram | undefined> {
  const docker = which('docker', search.path);
  if (docker === undefined) return undefined;
  try {
    const listed = await search.run(docker, [
      'image',
      'ls',
      '--format',
      '{{.Repository}}:{{.Tag}}',
      'nats',
    ]);
    const tags = listed.split('\n').filter((line) => /^nats:(2|latest|alpine)/.test(line));
    const image = tags.includes(images.nats) ? images.nats : tags[0];
    return image === undefined ? undefined : { command: docker, version: natsVersion, image };
  } catch {
    return undefined; // a client without an engine
  }
}

/**
 * Makes `name` in the cache unless it exists. Reports a failure, after which the caller tries the
 * next source.
 */
async function cached(
  search: Search,
  name: string,
  make: (dir: string) => Promise<string>,
): Promise<BrokerProgram | undefined> {
  const command = join(search.bin, name);
  if (!existsSync(command)) {
    mkdirSync(search.bin, { recursive: true });
    const dir = mkdtempSync(join(search.bin, '.making-'));
    try {
      const binary = await make(dir);
      // Copy and rename, so that a concurrent start never sees an incomplete binary.
      copyFileSync(binary, `${dir}/ready`);
      renameSync(`${dir}/ready`, command);
    } catch (error) {
      if (search.signal.aborted) return undefined;
      const { stderr, message } = error as { stderr?: string; message: string };
      search.log(`failed: ${(stderr || message).trim().split('\n').slice(-3).join(' | ')}`);
      return undefined;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return usable(search, command);
}

async function usable(search: Search, command: string): Promise<BrokerProgram | undefined> {
  const version = await search.run(command, ['--version']).then(
    (text) => /v?(\d+\.\d+\.\d+)/.exec(text)?.[1],
    () => undefined,
  );
  if (version !== undefined && isAtLeast(version, oldestNats)) return { command, version };
  search.log(
    `${command} is ${version ?? 'not working'}; nats-server ${oldestNats} or newer is needed, looking further`,
  );
  return undefined;
}

export function isAtLeast(version: string, oldest: string): boolean {
  const [a, b] = [version, oldest].map((text) => text.split('.').map(Number)) as [
    number[],
    number[],
  ];
  for (const index of [0, 1, 2]) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Finds a program on a search path. */
export function which(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((dir) => join(dir, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
