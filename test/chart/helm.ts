import { execFile } from 'node:child_process';
import { accessSync, constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cacheDir, root } from '@bailiwick/deploy/local/paths.ts';
import { isAlive } from '@bailiwick/deploy/local/pids.ts';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './manifests.ts';

/** What is built where no helm is on the PATH. */
const helmVersion = '3.22.0';
/** A helm that was built with `go install` takes itself for one of Kubernetes 1.20. */
const kubeVersion = '1.31.0';
const buildLimitMs = 4 * 60_000;

export const chartDir = join(root, 'helm/bailiwick');

/** The chart's own sets of values: what an installation names at least, everything included, everything set. */
export const valueFiles = { minimal: 'values-minimal.yaml', evaluation: 'ci/evaluation-values.yaml', full: 'ci/full-values.yaml' } as const;

export type Values = { file?: keyof typeof valueFiles; set?: readonly string[]; release?: string };

const run = promisify(execFile);

/** Tests of the chart: `skip` goes into their options, and tells why where there is no helm. */
export async function openChart() {
  const found = await findHelm();
  const helm = (args: readonly string[]) => run(found.command ?? '', [...args], { env: helmEnvironment(), maxBuffer: 1 << 26 }).then(({ stdout }) => stdout);
  const valueArguments = ({ file, set = [] }: Values) => [
    ...(file ? ['--values', join(chartDir, valueFiles[file])] : []),
    ...set.flatMap((one) => ['--set', one]),
  ];
  return {
    skip: found.command === undefined ? found.reason : false,
    /** All objects of a rendering. */
    async render(values: Values = {}): Promise<Manifest[]> {
      const text = await helm([
        'template',
        values.release ?? 'bailiwick',
        chartDir,
        '--namespace',
        'test',
        '--kube-version',
        kubeVersion,
        ...valueArguments(values),
      ]);
      return parseAllDocuments(text)
        .map((document): unknown => document.toJS())
        .filter((object): object is Manifest => object !== null);
    },
    /** The message a rendering fails with. */
    async refusal(values: Values): Promise<string> {
      const rendered = this.render(values);
      return rendered.then(
        () => {
          throw new Error('the rendering was expected to fail');
        },
        (error: { stderr?: string; message: string }) => error.stderr ?? error.message,
      );
    },
    lint: (values: Values) => helm(['lint', chartDir, '--strict', '--kube-version', kubeVersion, ...valueArguments(values)]),
  };
}

/** Neither the user's plugins and repositories nor a cluster: a rendering depends on the chart alone. */
function helmEnvironment(): NodeJS.ProcessEnv {
  const own = join(cacheDir, 'helm');
  return { PATH: process.env['PATH'], HELM_CACHE_HOME: own, HELM_CONFIG_HOME: own, HELM_DATA_HOME: own, KUBECONFIG: join(own, 'none') };
}

type Found = { command: string; reason?: never } | { command?: never; reason: string };

/** The PATH; else `go install` where Go is present, into the repository's cache. */
export async function findHelm(): Promise<Found> {
  const command = which('helm');
  if (command !== undefined) return { command };
  const go = which('go');
  const kept = join(cacheDir, 'bin', `helm-${helmVersion}`);
  if (existsSync(kept)) return { command: kept };
  if (go === undefined) return { reason: 'NOT TESTED: the chart needs helm. Put helm 3.14 or newer on the PATH, or install Go' };
  try {
    await buildOnce(go, kept);
    return { command: kept };
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return { reason: `NOT TESTED: helm could not be built: ${(stderr || message).trim().split('\n').slice(-2).join(' | ')}` };
  }
}

/** Test files run beside each other: one builds, the others wait for it. */
async function buildOnce(go: string, kept: string): Promise<void> {
  const bin = join(cacheDir, 'bin');
  const lock = `${kept}.lock`;
  mkdirSync(bin, { recursive: true });
  while (!takeLock(lock)) {
    await sleep(200);
    if (existsSync(kept)) return;
  }
  const dir = mkdtempSync(join(bin, '.making-'));
  try {
    if (existsSync(kept)) return;
    process.stderr.write(`building helm ${helmVersion} with Go, once (one or two minutes) …\n`);
    const env = { ...process.env, GOBIN: dir, GOFLAGS: '', CGO_ENABLED: '0' };
    await run(go, ['install', `helm.sh/helm/v3/cmd/helm@v${helmVersion}`], { env, timeout: buildLimitMs });
    // Copied aside and renamed, so that nobody ever runs half a program.
    copyFileSync(join(dir, 'helm'), join(dir, 'ready'));
    renameSync(join(dir, 'ready'), kept);
  } finally {
    rmSync(dir, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = readHolder(lock);
  // Empty: its holder is just writing it.
  if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
  return false;
}

function readHolder(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0; // given back meanwhile
  }
}

function which(name: string): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return candidates
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

// For CI: builds it before the tests run, so that none of them has to wait.
if (import.meta.main) {
  const { reason } = await findHelm();
  if (reason !== undefined) console.log(reason);
}
