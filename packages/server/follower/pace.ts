import type { Clock } from './lease.ts';

// A gateway closes a follower that sends more than 500 frames a second, or 2,000 at once.

const atOnce = 1000;
const perSecond = 400;

/** Counts questions; the rest of the limit is for beats and acknowledgements. */
export function createPace(clock: Clock) {
  let free = atOnce;
  let countedAt = clock.monotonicMs();
  /** Whether a question may be sent now. */
  return (): boolean => {
    const now = clock.monotonicMs();
    free = Math.min(atOnce, free + ((now - countedAt) * perSecond) / 1000);
    countedAt = now;
    if (free < 1) return false;
    free--;
    return true;
  };
}
