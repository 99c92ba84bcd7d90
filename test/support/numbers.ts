import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

// Measurements of processes, and statistics.

/** The CPU time of processes so far: Linux's scheduler counts nanoseconds for each thread. */
export function cpuMicrosOf(...pids: readonly number[]): number {
  return sum(pids.flatMap((pid) => threadsOf(pid).map((thread) => schedstat(pid, thread) / 1000)));
}

/** The CPU time of their children that have ended, which Linux counts in hundredths of a second. */
export function endedCpuMicrosOf(...pids: readonly number[]): number {
  return sum(pids.map(endedChildrenOf));
}

const microsPerTick = 10_000;

/** Fields 16 and 17 of /proc/<pid>/stat; the second, the name, is in parentheses. */
function endedChildrenOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * microsPerTick;
  } catch {
    return 0;
  }
}

/** The processes of a program that this process, or one that it started, has started. */
export function pidsStartedAs(name: string): number[] {
  const processes = new Map(
    readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((entry) => statusOf(Number(entry))),
  );
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (processes.has(pid) && isOurs(processes.get(pid)?.parent ?? 0));
  return [...processes].flatMap(([pid, status]) =>
    status.name.startsWith(name) && isOurs(pid) ? [pid] : [],
  );
}

/** The name and the parent of a process; nothing after its end. */
function statusOf(pid: number): Array<[number, { name: string; parent: number }]> {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const name = /^Name:\t(.*)$/m.exec(text)?.[1] ?? '';
    return [[pid, { name, parent: Number(/^PPid:\t(\d+)$/m.exec(text)?.[1]) }]];
  } catch {
    return [];
  }
}

/** The threads of a process; none after its end. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

// A thread may end between listing and reading: its time is then missing in both samples.
function schedstat(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** The resident memory of processes, in MB. Shared pages count for each process. */
export function residentMbOf(...pids: readonly number[]): number {
  return sum(
    pids.map(
      (pid) =>
        Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    ),
  );
}

/**
 * The same with each shared page divided among its processes, so that the program's own text does
 * not count five times.
 */
export function proportionalMbOf(...pids: readonly number[]): number {
  return sum(
    pids.map(
      (pid) =>
        Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) /
        1024,
    ),
  );
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  return (
    values.toSorted((one, other) => one - other)[
      Math.min(values.length - 1, Math.floor(values.length * share))
    ] ?? Number.NaN
  );
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/**
 * The growth from one value to the next: the slope of the least-squares line through all of them.
 */
export function slopeOf(values: readonly number[]): number {
  const [middle, mean] = [(values.length - 1) / 2, sum(values) / values.length];
  const spread = sum(values.map((_, at) => (at - middle) ** 2));
  return sum(values.map((value, at) => (at - middle) * (value - mean))) / spread;
}
