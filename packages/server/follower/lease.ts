// Time on two clocks. Each of them misses something: the monotonic clock may stand still while the
// machine sleeps, and the wall clock can be set. So what lasts is over as soon as one of them says so.

export type Clock = { monotonicMs: () => number; wallMs: () => number };

export type Moment = { monotonicMs: number; wallMs: number };

export const momentOf = (clock: Clock): Moment => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.wallMs(),
});

/**
 * Whether this time has passed since a moment, on one of the clocks. A wall clock before the moment
 * was set back, and no longer proves that the time has not passed.
 */
export function isOver(from: Moment, lastsMs: number, now: Moment): boolean {
  const wallMs = now.wallMs - from.wallMs;
  return wallMs >= lastsMs || wallMs < 0 || now.monotonicMs - from.monotonicMs >= lastsMs;
}

export type Lease = ReturnType<typeof createLease>;

/** The lease of a connection. `onEnd` drops the entries before anything else happens. */
export function createLease(clock: Clock, onEnd: () => void) {
  let from: Moment | undefined;
  let lastsMs = 0;

  function holds(now = momentOf(clock)): boolean {
    if (!from) return false;
    if (!isOver(from, lastsMs, now)) return true;
    end();
    return false;
  }

  function end(): void {
    from = undefined;
    onEnd();
  }

  return {
    holds,
    end,
    /** Makes the lease last until `ms` after a beat. It never makes the lease shorter. */
    extend(beat: Moment, ms: number): void {
      // A lease that is over unnoticed ends here, so that the next one begins empty.
      const now = momentOf(clock);
      const isLonger = !holds(now) || !from || beat.monotonicMs + ms > from.monotonicMs + lastsMs;
      if (!isLonger || isOver(beat, ms, now)) return;
      from = beat;
      lastsMs = ms;
    },
  };
}
