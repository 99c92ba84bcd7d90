import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { median, percentile } from './numbers.ts';

// The load generator. It lives in the process of the bench, whose CPU time is nobody's cost: what is measured runs in
// processes of its own.

export type Shot = {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Where the requests go, and what the next one is. */
export type Target = { pool: Pool; next: () => Shot };

/** Latencies in ms. `errors` are answers that are no 200, and requests without an answer. */
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

/** Each of them in turn. */
export function cycle<T>(items: readonly T[]): () => T {
  let at = 0;
  return () => items[at++ % items.length] as T;
}

const failures = new Map<string, number>();

/** What went wrong, each kind with its count: for the report, since a bench with errors has measured nothing. */
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
 * Requests on a schedule: one every 1/rate seconds, whether or not the ones before have been answered. A latency counts
 * from the time at which its request was due, so that a server that stalls does not thin out the load that it is
 * measured by (coordinated omission).
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
    // A timer fires up to a millisecond late, which counts as latency: for everything that is compared alike.
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

/** As many requests as `clients` get answered one after the other: the ceiling. Its latencies say nothing of a lesser load. */
export async function closedLoop(
  target: Target,
  clients: number,
  seconds: number,
): Promise<Result & { done: number }> {
  const latencies: number[] = [];
  let errors = 0;
  const started = performance.now();
  const client = async () => {
    for (;;) {
      const begun = performance.now();
      if (begun - started >= seconds * 1000) return;
      if (!(await shoot(target))) errors++;
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const [done, took] = [latencies.length, performance.now() - started];
  return {
    done,
    perSecond: (done * 1000) / took,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
    errors,
  };
}

/** Runs `work` while `clients` keep a target saturated. */
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
  // Until the queue is what it will be.
  await sleep(300);
  const result = await work().finally(() => {
    isOver = true;
  });
  await load;
  return { ...result, errors: ((result as { errors?: number }).errors ?? 0) + failed };
}
