import { readdirSync, readFileSync } from 'node:fs';

// Measurements of processes, and statistics.

/** The CPU time of processes so far: Linux's scheduler counts nanoseconds for each thread. */
export function cpuMicrosOf(...pids: readonly number[]): number {
  return sum(pids.flatMap((pid) => threadsOf(pid).map((thread) => schedstat(pid, thread) / 1000)));
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
