import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Console } from './console.ts';
import { trySignal } from './pids.ts';

export type ProcessSpec = {
  name: string;
  /** A TypeScript file. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** The program that runs it. Default: this Node. */
  runtime?: Runtime | undefined;
};

/** A program that runs TypeScript files, and the arguments between its name and the file's. */
export type Runtime = { command: string; args: readonly string[]; env?: NodeJS.ProcessEnv };

export type ManagedProcess = {
  name: string;
  logFile: string;
  pid(): number | undefined;
  /** Whether the process rejected its configuration. It is then not restarted. */
  hasRefused(): boolean;
  /** SIGTERM, and SIGKILL after 30 s. */
  stop(): Promise<void>;
  kill(): void;
};

/** The exit code of a process that cannot run with its settings (packages/process/run.ts). */
const refusedConfiguration = 78;
const graceMs = 30_000;
const firstPauseMs = 200;
/** A process that ran this long has recovered: after the next failure the pause is short again. */
const healthyMs = 10_000;
const keptLogBytes = 5 * 1024 * 1024;

/**
 * Keeps a process of the product running. It has its own process group, so that Ctrl-C reaches only
 * the supervisor, which stops everything in order. When its IPC channel closes, it knows that its
 * parent is gone.
 */
export function startProcess(
  spec: ProcessSpec,
  options: { logDir: string; console: Console; longestPauseMs?: number },
): ManagedProcess {
  const { console, longestPauseMs = 5000 } = options;
  mkdirSync(options.logDir, { recursive: true });
  const logFile = join(options.logDir, `${spec.name}.log`);
  const log = openLogFile(logFile);
  const relay = (line: string): void => console.relay(spec.name, line);

  let child: ChildProcess | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pause = firstPauseMs;
  let stopping: Promise<void> | undefined;
  let refused = false;

  const start = (): void => {
    const startedAt = Date.now();
    child = spawnScript(spec, (line) => {
      log.write(`${line}\n`);
      relay(line);
    });
    child.on('error', (error) => relay(`cannot be started: ${error.message}`));
    child.on('close', (code, signal) => {
      child = undefined;
      if (stopping) return;
      if (code === refusedConfiguration) {
        refused = true;
        return;
      }
      if (Date.now() - startedAt > healthyMs) pause = firstPauseMs;
      const cause = signal ?? `code ${code}`;
      relay(`ended unexpectedly (${cause}); starting it again in ${pause / 1000} s`);
      retry = setTimeout(start, pause);
      pause = Math.min(pause * 2, longestPauseMs);
    });
  };

  const stop = async (): Promise<void> => {
    clearTimeout(retry);
    if (child) await terminate(child, relay);
    await new Promise<void>((resolve) => log.end(() => resolve()));
  };

  start();
  return {
    name: spec.name,
    logFile,
    pid: () => child?.pid,
    hasRefused: () => refused,
    stop: () => (stopping ??= stop()),
    kill() {
      clearTimeout(retry);
      stopping ??= Promise.resolve();
      if (child) killGroup(child);
    },
  };
}

/** Opens a log file for appending. A large one starts again. */
function openLogFile(file: string): WriteStream {
  const isLarge = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > keptLogBytes;
  const log = createWriteStream(file, { flags: isLarge ? 'w' : 'a' });
  log.on('error', () => {}); // a full disk or a deleted data folder must not end this process
  return log;
}

function spawnScript(
  { script, env, runtime = { command: process.execPath, args: [] } }: ProcessSpec,
  onLine: (line: string) => void,
): ChildProcess {
  const child = spawn(runtime.command, [...runtime.args, script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...env, ...runtime.env },
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream as NodeJS.ReadableStream }).on('line', onLine);
  return child;
}

/** Ends a process with SIGTERM, and its group with SIGKILL after the grace period. */
async function terminate(child: ChildProcess, relay: (line: string) => void): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const insist = setTimeout(() => {
    relay(`did not stop within ${graceMs / 1000} s, killing it`);
    killGroup(child);
  }, graceMs);
  await ended;
  clearTimeout(insist);
}

function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) trySignal(-child.pid, 'SIGKILL');
}
