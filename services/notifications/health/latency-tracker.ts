import { LRUCache } from 'lru-cache';

// Finds endpoints that respond slowly. They get a lane of their own, so that they do not delay
// others.

const slowMs = 2000;
const fastToReturn = 20;
/** The weight of the newest attempt in the moving average. */
const weight = 0.2;

type Latency = { averageMs: number; isSlow: boolean; fast: number };

/** The average latency of endpoints that were slow lately, evicting the oldest entry. */
export function createLatencyTracker({ size = 10_000 } = {}) {
  const tracked = new LRUCache<string, Latency>({ max: size });
  return {
    isSlow: (endpoint: string) => tracked.peek(endpoint)?.isSlow ?? false,
    /** Records an attempt. A slow endpoint is fast again after twenty fast successes in a row. */
    record(endpoint: string, tookMs: number, isDelivered: boolean): void {
      const entry = tracked.peek(endpoint);
      // Fast endpoints, the majority, need no entry.
      if (!entry && tookMs < slowMs / 2) return;
      const before = entry ?? { averageMs: tookMs, isSlow: false, fast: 0 };
      const averageMs = before.averageMs + weight * (tookMs - before.averageMs);
      const fast = isDelivered && tookMs < slowMs ? before.fast + 1 : 0;
      if (fast >= fastToReturn) return void tracked.delete(endpoint);
      tracked.set(endpoint, { averageMs, isSlow: before.isSlow || averageMs > slowMs, fast });
    },
  };
}

export type LatencyTracker = ReturnType<typeof createLatencyTracker>;
