import { LRUCache } from 'lru-cache';

// The circuit breaker counts attempts in this process. Once it opens, endpoint_health pauses the
// endpoint in every process (state.ts).

const windowMs = 120_000;
const fewest = 10;
const failedShare = 0.8;
const timeoutsInARow = 5;

/**
 * The first pause of an open breaker, in milliseconds, and the longest: each further pause doubles.
 */
export type Pauses = { first: number; longest: number };

type Tally = { since: number; attempts: number; failed: number; timeouts: number };

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * Opens after four failures of five among ten or more attempts in two minutes, or after five
 * timeouts in a row.
 */
export function createBreaker(now: () => number = Date.now, size = 10_000) {
  // Holds only endpoints that fail.
  const tallies = new LRUCache<string, Tally>({ max: size });
  return {
    /** Counts an attempt. Returns true if the breaker opens. */
    count(endpoint: string, result: 'delivered' | 'failed' | 'timeout'): boolean {
      const entry = tallies.peek(endpoint);
      if (!entry && result === 'delivered') return false;
      const isOld = !entry || now() - entry.since > windowMs;
      // Timeouts in a row still count when they are further apart than the window.
      const tally = isOld
        ? { since: now(), attempts: 0, failed: 0, timeouts: entry?.timeouts ?? 0 }
        : entry;
      tallies.set(endpoint, tally);
      tally.attempts++;
      if (result !== 'delivered') tally.failed++;
      tally.timeouts = result === 'timeout' ? tally.timeouts + 1 : 0;
      if (tally.failed === 0) tallies.delete(endpoint);
      const opens =
        tally.timeouts >= timeoutsInARow ||
        (tally.attempts >= fewest && tally.failed >= failedShare * tally.attempts);
      if (opens) tallies.delete(endpoint);
      return opens;
    },
  };
}
