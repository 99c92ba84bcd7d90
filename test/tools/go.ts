import { execFile } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { which } from '@bailiwick/deploy/local/nats-server.ts';
import { cacheDir } from '@bailiwick/deploy/local/paths.ts';
import { makeOnce } from './make-once.ts';

// Programs for the tests of the chart, of deploy/ and of the wire between the processes, built once
// with Go, if the host has it, into the repository's cache.

const searched = process.env['PATH'] ?? '';
const buildLimitMs = 4 * 60_000;
export const run = promisify(execFile);

/** The version of the suite and of its proto files. */
export const conformanceVersion = '1.0.7';

type Tool = { module: string; path: string; version: string };

const tools = {
  helm: { module: 'helm.sh/helm/v3', path: 'cmd/helm', version: '3.22.0' },
  kubeconform: {
    module: 'github.com/yannh/kubeconform',
    path: 'cmd/kubeconform',
    version: '0.8.0',
  },
  starlark: {
    module: 'go.starlark.net',
    path: 'cmd/starlark',
    version: '0.0.0-20260908191801-89a6a09411d5',
  },
  'compose-spec': {
    module: 'github.com/compose-spec/compose-go/v2',
    path: 'cmd',
    version: '2.16.2',
  },
  actionlint: { module: 'github.com/rhysd/actionlint', path: 'cmd/actionlint', version: '1.7.12' },
  connectconformance: {
    module: 'connectrpc.com/conformance',
    path: 'cmd/connectconformance',
    version: conformanceVersion,
  },
  'kube-score': { module: 'github.com/zegl/kube-score', path: 'cmd/kube-score', version: '1.20.0' },
} as const satisfies Record<string, Tool>;

export type ToolPath = { command: string; reason?: never } | { command?: never; reason: string };

/** For helm, also the host's own. */
export async function findTool(name: keyof typeof tools): Promise<ToolPath> {
  const own = name === 'helm' ? which(name, searched) : undefined;
  if (own !== undefined) return { command: own };
  const tool: Tool = tools[name];
  const program = join(cacheDir, 'bin', `${name}-${tool.version}`);
  if (existsSync(program)) return { command: program };
  const go = which('go', searched);
  if (go === undefined)
    return { reason: `NOT TESTED: the tests need ${name}. Install Go, and they build it` };
  try {
    await makeOnce(program, (target) => build(go, name, target));
    return { command: program };
  } catch (error) {
    return { reason: `NOT TESTED: building ${name} failed: ${lastWords(error)}` };
  }
}

async function build(go: string, name: keyof typeof tools, target: string): Promise<void> {
  const { module, path, version }: Tool = tools[name];
  const dir = dirname(target);
  process.stderr.write(`building ${name} ${version} with Go, once (a minute or two) …\n`);
  const env = { ...process.env, GOBIN: dir, GOFLAGS: '', CGO_ENABLED: '0' };
  await run(go, ['install', `${module}/${path}@v${version}`], { env, timeout: buildLimitMs });
  copyFileSync(join(dir, basename(path)), target);
}

/** The folder of a Go module's source, for its files that are not code. Throws without Go. */
export async function moduleFolder(module: string, version: string): Promise<string> {
  const go = which('go', searched);
  if (go === undefined) throw new Error('Go is needed to fetch it');
  const { stdout } = await run(go, ['mod', 'download', '-json', `${module}@v${version}`], {
    env: { ...process.env, GOFLAGS: '' },
    timeout: buildLimitMs,
  });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

export function lastWords(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr || message).trim().split('\n').slice(-2).join(' | ');
}

// For CI: builds everything before the tests, so that none of them has to wait.
if (import.meta.main) {
  for (const name of Object.keys(tools) as Array<keyof typeof tools>) {
    const { reason } = await findTool(name);
    if (reason !== undefined) console.log(reason);
  }
}
