// When an endpoint is left alone. Counted in this process; that it is left alone is told to all of them by its gate (gates.ts).

const windowMs = 120_000;
const fewest = 10;
const failedShare = 0.8;
const timeoutsInARow = 5;

/** How long an endpoint is left alone at first; doubled each time up to the longest. Milliseconds. */
export type Pauses = { first: number; longest: number };

type Tally = { since: number; attempts: number; failed: number; timeouts: number };

export type Breaker = ReturnType<typeof createBreaker>;

/** Says after which attempt an endpoint should be left alone: four of five failed among ten or more in two minutes, or five timed out in a row. */
export function createBreaker(now: () => number = Date.now, size = 10_000) {
  // Only endpoints that fail are in it.
  const tallies = new Map<string, Tally>();
  return {
    /** Counts an attempt. `true` = it is enough. */
    count(endpoint: string, result: 'delivered' | 'failed' | 'timeout'): boolean {
      const known = tallies.get(endpoint);
      if (!known && result === 'delivered') return false;
      const isOld = !known || now() - known.since > windowMs;
      // Timeouts in a row may be further apart than the window is long.
      const tally = isOld
        ? { since: now(), attempts: 0, failed: 0, timeouts: known?.timeouts ?? 0 }
        : known;
      tallies.delete(endpoint);
      tallies.set(endpoint, tally);
      const oldest = tallies.keys().next();
      if (tallies.size > size && !oldest.done) tallies.delete(oldest.value);
      tally.attempts++;
      if (result !== 'delivered') tally.failed++;
      tally.timeouts = result === 'timeout' ? tally.timeouts + 1 : 0;
      if (tally.failed === 0) tallies.delete(endpoint);
      const isEnough =
        tally.timeouts >= timeoutsInARow ||
        (tally.attempts >= fewest && tally.failed >= failedShare * tally.attempts);
      if (isEnough) tallies.delete(endpoint);
      return isEnough;
    },
  };
}
