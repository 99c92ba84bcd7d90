/**
 * The quota: how many tasks of a tenant this process sends to the quick lanes in a window. Workers
 * deliver more meanwhile, so the stream of a quick lane stays short.
 */
const quickTasks = 2000;
const windowMs = 4000;

export type LaneQuotas = ReturnType<typeof createLaneQuotas>;

/**
 * Chooses the lanes of new tasks. A consumer reads its stream from the front, so a backlog of one
 * tenant delays the tasks of all others. Tasks beyond the tenant's quota go to the slow lane, whose
 * workers make the same attempts.
 */
export function createLaneQuotas(now: () => number = Date.now) {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    /** The lane of the tenant's next task: "" for the lane of its kind, or "slow". */
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
