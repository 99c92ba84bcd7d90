import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { trySignal } from './pids.ts';

export type Daemon = {
  pid: number;
  /** Resolves when the process has ended, for any reason. */
  exited: Promise<void>;
  hasExited(): boolean;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

export type DaemonOptions = {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  logFile: string;
  /** The signal that asks for an orderly end. */
  signal: NodeJS.Signals;
  graceMs?: number;
};

const keptLogBytes = 5 * 1024 * 1024;

/**
 * Runs a server of another project (database, broker) in a process group of its own, so that Ctrl-C
 * in the terminal does not reach it before its clients have stopped. If this process is killed, a
 * guard stops the server.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, isLarge(options.logFile) ? 'w' : 'a');
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', log, log],
    ...(options.env && { env: options.env }),
  });
  closeSync(log);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      ended = true;
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const pid = child.pid as number;
  const release = startGuard(pid, options.signal);
  void exited.then(release);

  const end = async (signal: NodeJS.Signals, graceMs: number): Promise<void> => {
    if (!ended) trySignal(pid, signal);
    const patience = new AbortController();
    const insist = sleep(graceMs, undefined, { signal: patience.signal }).then(
      () => trySignal(pid, 'SIGKILL'),
      () => undefined,
    );
    await exited;
    patience.abort();
    await insist;
  };
  return {
    pid,
    exited,
    hasExited: () => ended,
    stop: () => end(options.signal, options.graceMs ?? 15_000),
    kill: () => end('SIGKILL', 5000),
  };
}

/**
 * A shell that reads a pipe which only this process holds open: when this process dies for any
 * reason, the read ends and the shell signals the server. Costs about a megabyte and works on every
 * system with a shell.
 */
function startGuard(pid: number, signal: NodeJS.Signals): () => void {
  const script = 'read -r word; test "$word" = released || kill -s "$2" "$1"';
  const guard = spawn(
    '/bin/sh',
    ['-c', script, 'bailiwick-guard', String(pid), signal.replace('SIG', '')],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  return () => guard.stdin.end('released\n');
}

function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > keptLogBytes;
}

/** The end of a log file, for messages about a server that did not start. */
export function tail(file: string, lines: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
