import { LRUCache } from 'lru-cache';

/** The concurrent attempts of an endpoint about which the process knows nothing yet. */
export const initialLimit = 4;
const quickMs = 1000;
const slowMs = 2000;
const rememberedMs = 60_000;

type AttemptEnd = {
  tookMs: number;
  isDelivered: boolean;
  /** The endpoint's running attempts, this one included. */
  running: number;
};

/**
 * How many attempts may run at once for each endpoint of a process: one more after each quick
 * success while all are in use, and half as many after a failure or a slow response (additive
 * increase, multiplicative decrease, as in RFC 5681). Slow successes do not reduce it
 * below the initial limit.
 */
export function createEndpointLimits({ size = 10_000 } = {}) {
  const limits = new LRUCache<string, number>({ max: size, ttl: rememberedMs });
  const of = (endpoint: string): number => limits.get(endpoint) ?? initialLimit;
  return {
    of,
    record(endpoint: string, { tookMs, isDelivered, running }: AttemptEnd): void {
      const limit = of(endpoint);
      if (!isDelivered) limits.set(endpoint, Math.max(1, Math.floor(limit / 2)));
      else if (tookMs >= slowMs)
        limits.set(endpoint, Math.min(limit, Math.max(initialLimit, Math.floor(limit / 2))));
      // Without the second condition an endpoint with few deliveries would reach any limit, and
      // take that many slots when its receiver begins to hang.
      else if (tookMs < quickMs && running >= limit) limits.set(endpoint, limit + 1);
    },
  };
}
