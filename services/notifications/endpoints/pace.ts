// Which endpoints answer slowly. Theirs is a lane of their own, so that they keep nobody waiting.

const slowMs = 2000;
const quickToReturn = 20;
/** How much the newest attempt counts in the average. */
const weight = 0.2;

type Paced = { averageMs: number; isSlow: boolean; quick: number };

/** The average latency of those endpoints that were slow of late, the oldest of them going first. */
export function createPace({ size = 10_000 } = {}) {
  const paced = new Map<string, Paced>();
  return {
    isSlow: (endpoint: string) => paced.get(endpoint)?.isSlow ?? false,
    /** Takes note of an attempt. A slow endpoint is quick again after twenty quick successes in a row. */
    note(endpoint: string, tookMs: number, isDelivered: boolean): void {
      const known = paced.get(endpoint);
      // The many that are quick need no entry.
      if (!known && tookMs < slowMs / 2) return;
      const before = known ?? { averageMs: tookMs, isSlow: false, quick: 0 };
      const averageMs = before.averageMs + weight * (tookMs - before.averageMs);
      const quick = isDelivered && tookMs < slowMs ? before.quick + 1 : 0;
      paced.delete(endpoint);
      if (quick >= quickToReturn) return;
      paced.set(endpoint, { averageMs, isSlow: before.isSlow || averageMs > slowMs, quick });
      const oldest = paced.keys().next();
      if (paced.size > size && !oldest.done) paced.delete(oldest.value);
    },
  };
}

export type Pace = ReturnType<typeof createPace>;
