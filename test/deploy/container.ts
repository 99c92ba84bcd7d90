import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';

// A container without an engine: a process in its own namespaces, with the image's file tree as its
// root, in which only /tmp is writable. It is process 1 there, as user 65532, and shares the
// network with the test.

/** The reason why containers do not work here; false if they do. */
export const skip = canRun() ? false : 'NOT TESTED: namespaces need root and util-linux';

function canRun(): boolean {
  return (
    process.getuid?.() === 0 &&
    spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0
  );
}

export type Container = {
  signal(name: NodeJS.Signals): void;
  output(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** Runs `command` in the tree, with `secrets` mounted at /run/bailiwick. */
export function runContainer(
  t: TestContext,
  tree: string,
  command: readonly string[],
  { env = {}, secrets }: { env?: NodeJS.ProcessEnv; secrets?: string } = {},
): Container {
  for (const folder of ['tmp', 'proc', 'run/bailiwick'])
    mkdirSync(join(tree, folder), { recursive: true });
  const mounts = [
    'mount --bind "$1" "$1"',
    'mount -o remount,ro,bind "$1"',
    'mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"',
    ...(secrets === undefined ? [] : [`mount --bind '${secrets}' "$1/run/bailiwick"`]),
    // The image's PATH finds the container's program; this machine's PATH finds the tools that make
    // the container.
    'tree=$1 inner=$2 unshare=$(command -v unshare)',
    'shift 2',
    'PATH=$inner exec "$unshare" --pid --fork --kill-child=SIGKILL --mount-proc --root="$tree" --wd=/app --setgid=65532 --setuid=65532 -- "$@"',
  ];
  const child = spawn(
    'unshare',
    ['--mount', '--', 'sh', '-ec', mounts.join('\n'), 'sh', tree, String(env['PATH']), ...command],
    {
      env: { ...env, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)));
  t.after(() => child.kill('SIGKILL'));
  /** Signals process 1 of the container, and not the processes around it. */
  const signal = (name: NodeJS.Signals) =>
    process.kill(
      Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')),
      name,
    );
  return {
    signal,
    output: () => output,
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
  };
}
