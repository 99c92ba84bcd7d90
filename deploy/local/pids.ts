import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const hasProc = existsSync('/proc/self/stat');

/** A zombie counts as dead: in a container without an init it stays listed for ever. */
export function isAlive(pid: number): boolean {
  if (hasProc) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The second field is the name in brackets and may itself hold spaces and brackets.
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
 * A pid in a file says little after a reboot or a crash, since numbers are used again: before such a process is
 * trusted or ended, its command line has to name what we started.
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

/** Asks a process that is not our child to end, and insists after `graceMs`. */
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

/** False when there is no such process any more. */
export function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
