// The limits of followers. Each gateway counts alone: they keep one application from starving the
// others, and cost no look-up.

export const limits = {
  /** Followers of a credential, and of the bots of a tenant. */
  followers: 1000,
  followersOfTenant: 2000,
  /** Connections that have not said hello: of all addresses, and of one. */
  newConnections: 1000,
  newOfAddress: 100,
  helloMs: 5000,
  /** How long a follower may take to close its side of the connection. */
  closeMs: 1000,
  helloBytes: 4096,
  frameBytes: 65_536,
  /** Frames that wait because the follower does not read. */
  unreadBytes: 4_194_304,
  /** Entries of a follower, of the bots of a tenant, and of all: each takes about half a kilobyte. */
  entries: 20_000,
  entriesOfTenant: 25_000,
  allEntries: 250_000,
  /** Questions of a follower at a time. */
  questions: 256,
  framesPerSecond: 500,
  framesAtOnce: 2000,
} as const;

/** Counts a follower's frames. */
export function createBucket(now: () => number = () => performance.now()) {
  let tokens: number = limits.framesAtOnce;
  let filledAt = now();
  return {
    /** Whether one more frame is within the limit. */
    take(): boolean {
      const at = now();
      const filled = tokens + ((at - filledAt) * limits.framesPerSecond) / 1000;
      tokens = Math.min(limits.framesAtOnce, filled) - 1;
      filledAt = at;
      return tokens >= 0;
    },
  };
}

/** Counts by name, up to a limit for each. */
export function createCounts(most: number) {
  const counts = new Map<string, number>();
  return {
    isFull: (name: string): boolean => (counts.get(name) ?? 0) >= most,
    add: (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1),
    remove(name: string): void {
      const count = (counts.get(name) ?? 1) - 1;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}

export type Counts = ReturnType<typeof createCounts>;
