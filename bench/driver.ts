import { setTimeout as sleep } from 'node:timers/promises';
import { median, percentile } from '@bailiwick/test/support/numbers.ts';
import { Pool } from 'undici';

// The load generator. It runs in the bench's process, whose CPU time is not measured. The measured
// programs run in processes of their own.

export type Shot = {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/** The target of the requests, and the function that makes the next one. */
export type Target = { pool: Pool; next: () => Shot };

/** Latencies in ms. `errors` counts answers other than 200, and requests without an answer. */
export type Result = { perSecond: number; p50: number; p99: number; errors: number };

export const openPool = (url: string): Pool => new Pool(url, { connections: 256, pipelining: 1 });

/** An operation in documented JSON. */
export function operation(name: string, body: unknown, token?: string): Shot {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return { method: 'POST', path: `/${name}`, headers, body: JSON.stringify(body) };
}

/** Returns the items in turn. */
export function cycle<T>(items: readonly T[]): () => T {
  let at = 0;
  return () => items[at++ % items.length] as T;
}

const failures = new Map<string, number>();

/**
 * The failures, with a count of each kind, for the report: a bench with errors is not a
 * measurement.
 */
export const failuresSoFar = (): string[] =>
  [...failures].map(([what, count]) => `${count} × ${what}`);

async function shoot({ pool, next }: Target): Promise<boolean> {
  const { method = 'POST', path, headers = {}, body } = next();
  let failure: string;
  try {
    const response = await pool.request({ method, path, headers, body: body ?? null });
    if (response.statusCode === 200) {
      await response.body.dump();
      return true;
    }
    failure = `${path} answered ${response.statusCode}: ${(await response.body.text()).slice(0, 200)}`;
  } catch (error) {
    failure = `${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
  failures.set(failure, (failures.get(failure) ?? 0) + 1);
  return false;
}

/**
 * Sends requests on a schedule: one every 1/rate seconds, whether or not the earlier ones are
 * answered. Latency counts from the scheduled time, so that a stalled server does not reduce its
 * own load (coordinated omission).
 */
export async function openLoop(target: Target, rate: number, seconds: number): Promise<Result> {
  const latencies: number[] = [];
  const pending: Array<Promise<void>> = [];
  let errors = 0;
  const fire = async (due: number) => {
    if (!(await shoot(target))) errors++;
    latencies.push(performance.now() - due);
  };
  const count = Math.max(1, Math.round(rate * seconds));
  const started = performance.now();
  while (pending.length < count) {
    const due = started + (pending.length * 1000) / rate;
    const early = due - performance.now();
    // A timer fires up to a millisecond late, which counts as latency for all compared systems
    // alike.
    if (early > 0) await sleep(early);
    pending.push(fire(due));
  }
  await Promise.all(pending);
  const took = performance.now() - started;
  return {
    perSecond: (count * 1000) / took,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
    errors,
  };
}

/**
 * Sends each request once, `rate` a second. A target that is slower gets the next request when one
 * of `clients` has its answer, so it is never asked for more than it can do.
 */
export async function pacedPass(
  { pool, shots, rate }: { pool: Pool; shots: readonly Shot[]; rate: number },
  clients = 32,
): Promise<{ calls: number; perSecond: number; errors: number }> {
  let calls = 0;
  let errors = 0;
  const started = performance.now();
  const client = async () => {
    while (calls < shots.length) {
      const shot = shots[calls] as Shot;
      const early = started + (calls++ * 1000) / rate - performance.now();
      if (early > 0) await sleep(early);
      if (!(await shoot({ pool, next: () => shot }))) errors++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const took = performance.now() - started;
  return { calls, perSecond: (calls * 1000) / took, errors };
}

/** Sends each request once, after the answer to the one before. Latencies in ms. */
export async function oneByOne(
  pool: Pool,
  shots: readonly Shot[],
): Promise<{ calls: number; p50: number; errors: number }> {
  const latencies: number[] = [];
  let errors = 0;
  for (const shot of shots) {
    const began = performance.now();
    if (!(await shoot({ pool, next: () => shot }))) errors++;
    latencies.push(performance.now() - began);
  }
  return { calls: shots.length, p50: median(latencies), errors };
}

/**
 * Each of `clients` sends its next request after the answer: the maximum rate. The latencies say
 * nothing about lower loads.
 */
export async function closedLoop(
  target: Target,
  clients: number,
  seconds: number,
): Promise<Result & { calls: number }> {
  const latencies: number[] = [];
  let errors = 0;
  const started = performance.now();
  const client = async () => {
    for (;;) {
      const began = performance.now();
      if (began - started >= seconds * 1000) return;
      if (!(await shoot(target))) errors++;
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const [count, took] = [latencies.length, performance.now() - started];
  return {
    calls: count,
    perSecond: (count * 1000) / took,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
    errors,
  };
}

/** Runs `work` while `clients` saturate a target. */
export async function underLoad<T>(
  target: Target,
  clients: number,
  work: () => Promise<T>,
): Promise<T & { errors: number }> {
  let isOver = false;
  let failed = 0;
  const client = async () => {
    while (!isOver) if (!(await shoot(target))) failed++;
  };
  const load = Promise.all(Array.from({ length: clients }, client));
  // Wait until the queue has its final length.
  await sleep(300);
  const result = await work().finally(() => {
    isOver = true;
  });
  await load;
  return { ...result, errors: ((result as { errors?: number }).errors ?? 0) + failed };
}
