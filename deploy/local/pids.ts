import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const hasProc = existsSync('/proc/self/stat');

/** A zombie counts as dead: in a container without an init it stays in the process table. */
export function isAlive(pid: number): boolean {
  if (hasProc) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The second field is the name in brackets, which can itself contain spaces and brackets.
      return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2));
    } catch {
      return false;
    }
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Pids are reused, so a pid in a file proves little after a reboot or a crash. Before such a
 * process is trusted or stopped, its command line must name the program that was started.
 */
export function isRunning(pid: number, mentions: string): boolean {
  return isAlive(pid) && commandLine(pid).includes(mentions);
}

function commandLine(pid: number): string {
  try {
    if (hasProc) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** Sends SIGTERM to a process that is not our child, and SIGKILL after `graceMs`. */
export async function endProcess(
  pid: number,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  for (const [next, wait] of [[signal, graceMs] as const, ['SIGKILL', 5000] as const]) {
    if (!trySignal(pid, next)) return;
    for (let waited = 0; waited < wait; waited += 25) {
      if (!isAlive(pid)) return;
      await sleep(25);
    }
  }
}

/** Returns false if the process does not exist any more. */
export function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
