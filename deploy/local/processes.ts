import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, statSync } from 'node:fs';
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

/** The exit code of a process that cannot run with its settings (packages/service/process.ts). */
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
  const { runtime = { command: process.execPath, args: [] } } = spec;
  mkdirSync(options.logDir, { recursive: true });
  const logFile = join(options.logDir, `${spec.name}.log`);
  const isLarge = (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > keptLogBytes;
  const log = createWriteStream(logFile, { flags: isLarge ? 'w' : 'a' });
  log.on('error', () => {}); // a full disk or a deleted data folder must not end this process

  let child: ChildProcess | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pause = firstPauseMs;
  let stopping: Promise<void> | undefined;
  let refused = false;
  let settleStop = (): void => {};

  const start = (): void => {
    const startedAt = Date.now();
    const env = { ...spec.env, ...runtime.env };
    const started = spawn(runtime.command, [...runtime.args, spec.script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env,
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
        log.write(`${line}\n`);
        console.relay(spec.name, line);
      });
    }
    started.on('error', (error) => console.relay(spec.name, `cannot be started: ${error.message}`));
    started.on('close', (code, signal) => {
      child = undefined;
      if (stopping) return settleStop();
      if (code === refusedConfiguration) {
        refused = true;
        return;
      }
      if (Date.now() - startedAt > healthyMs) pause = firstPauseMs;
      console.relay(
        spec.name,
        `ended unexpectedly (${signal ?? `code ${code}`}); starting it again in ${pause / 1000} s`,
      );
      retry = setTimeout(start, pause);
      pause = Math.min(pause * 2, longestPauseMs);
    });
  };

  const stop = async (): Promise<void> => {
    clearTimeout(retry);
    const running = child;
    if (running) {
      const ended = new Promise<void>((done) => {
        settleStop = done;
      });
      running.kill('SIGTERM');
      const insist = setTimeout(() => {
        console.relay(spec.name, `did not stop within ${graceMs / 1000} s, killing it`);
        killGroup(running);
      }, graceMs);
      await ended;
      clearTimeout(insist);
    }
    await new Promise<void>((done) => log.end(() => done()));
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

function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) trySignal(-child.pid, 'SIGKILL');
}
