/**
 * How many tasks of a tenant this process sends to the quick lanes in a window: half as many as a
 * lane has places, and fewer than a worker delivers meanwhile, so that the stream stays short.
 */
const quickTasks = 2000;
const windowMs = 4000;

/**
 * Chooses the lane of new tasks. A consumer reads its stream from the front, so whatever one tenant
 * publishes faster than workers read delays the tasks of all others. What exceeds the tenant's pace
 * goes to the slow lane, whose workers make the same attempts.
 */
export function createPace(now: () => number = Date.now) {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    /** The lane of the tenant's next task: "" for the one of its kind, or "slow". */
    laneOf(tenant: string): '' | 'slow' {
      const current = Math.floor(now() / windowMs);
      if (current !== window) counts.clear();
      window = current;
      const count = (counts.get(tenant) ?? 0) + 1;
      counts.set(tenant, count);
      return count > quickTasks ? 'slow' : '';
    },
  };
}

export type Pace = ReturnType<typeof createPace>;
