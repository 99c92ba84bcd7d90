/**
 * How many tasks of a tenant this process sends to the quick lanes in a second: fewer than a worker
 * delivers, so that the stream of a quick lane stays short.
 */
const quickPerSecond = 500;

/**
 * Chooses the lane of new tasks. A consumer reads its stream from the front, so whatever one tenant
 * publishes faster than workers read delays the tasks of all others. What exceeds the tenant's pace
 * goes to the slow lane, whose workers make the same attempts.
 */
export function createPace(now: () => number = Date.now) {
  const counts = new Map<string, number>();
  let second = 0;
  return {
    /** The lane of the tenant's next task: "" for the one of its kind, or "slow". */
    laneOf(tenant: string): '' | 'slow' {
      const current = Math.floor(now() / 1000);
      if (current !== second) counts.clear();
      second = current;
      const count = (counts.get(tenant) ?? 0) + 1;
      counts.set(tenant, count);
      return count > quickPerSecond ? 'slow' : '';
    },
  };
}

export type Pace = ReturnType<typeof createPace>;
