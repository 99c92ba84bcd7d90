import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import packageJson from '../package.json' with { type: 'json' };
import { everySecond } from './every-second.ts';
import { gauge, timing, total } from './metrics.ts';

// Metrics of the process and its runtime, under the names of Prometheus' own client libraries
// (process_…, nodejs_…), which stock dashboards use. Values that a runtime does not offer are left
// out.

const runtime =
  process.versions['deno'] === undefined
    ? `node ${process.versions.node}`
    : `deno ${process.versions['deno']}`;

const gcKinds: Readonly<Record<number, string>> = {
  1: 'minor',
  4: 'major',
  8: 'incremental',
  16: 'weakcb',
};

/** Starts measuring this process. Called once, if metrics are enabled. */
export function measureProcess(): void {
  one('bailiwick_build_info', 'Always 1; the labels name the version and the runtime.', () => 1, {
    version: packageJson.version,
    runtime,
  });
  total({ name: 'process_cpu_seconds', about: 'CPU time of the process, user and system.' }).from(
    () => cpuSeconds(),
  );
  one(
    'process_start_time_seconds',
    'When the process started, in Unix seconds.',
    () => (performance.timeOrigin || Date.now()) / 1000,
  );
  one(
    'process_resident_memory_bytes',
    'Resident memory of the process.',
    () => process.memoryUsage().rss,
  );
  one(
    'nodejs_heap_size_used_bytes',
    'Used heap of the JavaScript engine.',
    () => process.memoryUsage().heapUsed,
  );
  one(
    'nodejs_heap_size_total_bytes',
    'Heap that the JavaScript engine has taken.',
    () => process.memoryUsage().heapTotal,
  );
  one(
    'nodejs_external_memory_bytes',
    'Memory outside of the heap that is tied to JavaScript objects.',
    () => process.memoryUsage().external,
  );
  measureHandles();
  measureLoop();
  measureGc();
}

function one(
  name: string,
  description: string,
  read: () => number,
  labels: Record<string, string> = {},
): void {
  gauge<Record<string, string>>({ name, about: description }).from(() => [
    { value: read(), labels },
  ]);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

function measureHandles(): void {
  if (typeof process.getActiveResourcesInfo !== 'function' || !canListResources()) return;
  one(
    'nodejs_active_resources',
    'Sockets, timers and requests that keep the event loop alive.',
    () => process.getActiveResourcesInfo().length,
  );
}

// Deno defines the function, but it throws.
function canListResources(): boolean {
  try {
    return process.getActiveResourcesInfo().length >= 0;
  } catch {
    return false;
  }
}

/**
 * A late timer shows how long the loop was blocked. Deno's monitorEventLoopDelay does not (lag.ts).
 */
function measureLoop(): void {
  const lag = timing(
    {
      name: 'nodejs_eventloop_lag_seconds',
      about: 'How late a timer of the event loop is, measured each second.',
    },
    [0.005, 0.025, 0.1, 0.5, 2.5],
  );
  let last = performance.now();
  everySecond(() => {
    const now = performance.now();
    lag.record(Math.max(0, now - last - 1000) / 1000, {});
    last = now;
  });
}

function measureGc(): void {
  // Not in @types/node. Deno does not support gc entries.
  const { supportedEntryTypes } = PerformanceObserver as {
    supportedEntryTypes?: readonly string[];
  };
  if (!supportedEntryTypes?.includes('gc')) return;
  const pauses = timing<{ kind: string }>(
    { name: 'nodejs_gc_duration_seconds', about: 'Pauses of the garbage collector, by kind.' },
    [0.001, 0.01, 0.1, 1],
  );
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind = 0 } = ('detail' in entry ? entry.detail : {}) as { kind?: number };
      pauses.record(entry.duration / 1000, { kind: gcKinds[kind] ?? 'other' });
    }
  }).observe({ entryTypes: ['gc'] });
}
