import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './paths.ts';
import { isAlive, trySignal } from './pids.ts';

/** A folder that is removed after the test. */
export function temporaryFolder(test: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'bailiwick-test-'));
  test.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export const quiet = (): void => {};

/** Waits until `condition` holds; throws after a time limit. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('the condition was not met in time');
  }
}

/** A start as a terminal runs it. */
export type Run = {
  child: ChildProcess;
  output(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** Runs `npm start` as a terminal does: in a process group of its own, by default on free ports. */
export function npmStart(
  t: TestContext,
  dataDir: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Run {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(BAILIWICK_|npm_|PORT$|DATABASE_URL$|NATS_URL$)/.test(name),
    ),
  );
  const child = spawn('npm', ['start', '--silent', '--', ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, PORT: '0', BAILIWICK_INBOX_PORT: '0', BAILIWICK_DATA: dataDir, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  t.after(() => trySignal(-(child.pid ?? 0), 'SIGKILL'));
  return { child, output: () => output, ended };
}

/** Waits until the start reports that it is running, and returns its addresses. */
export async function isUp(
  run: Run,
  limitMs = 90_000,
): Promise<{ gateway: string; inbox: string }> {
  const ended = run.ended.then(() => assert.fail(`ended early:\n${run.output()}`));
  const up = until(() => run.output().includes('Press Ctrl-C'), limitMs);
  await Promise.race([up, ended]);
  const find = (name: string): string =>
    new RegExp(`  ${name} +(http\\S+)`).exec(run.output())?.[1] ?? assert.fail(run.output());
  return { gateway: find('gateway'), inbox: find('inbox') };
}

/**
 * The processes with this data folder in their environment: everything that a start has started.
 */
export function processesOf(dataDir: string): string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        isAlive(Number(name)) &&
        readFileSync(`/proc/${name}/environ`, 'utf8').includes(dataDir)
      );
    } catch {
      return false; // the process ended
    }
  });
}

export const pressCtrlC = (run: Run): boolean => trySignal(-(run.child.pid ?? 0), 'SIGINT');
