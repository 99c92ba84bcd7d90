/** `weight`: what the work counts while it waits. `signal`: the work leaves the lane if it aborts. */
type Place = { weight?: number; signal?: AbortSignal | undefined };

/** Runs work in the order of arrival, at most `slots` at a time. */
export function createLane(slots: number) {
  let running = 0;
  let load = 0;
  const waiting = new Set<() => void>();

  async function turn({ weight = 1, signal }: Place): Promise<void> {
    signal?.throwIfAborted();
    if (running < slots) {
      running++;
      return;
    }
    load += weight;
    try {
      await place(signal);
    } finally {
      load -= weight;
    }
  }

  function place(signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter);
        reject(signal?.reason as Error);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot to the next in line, or frees it. */
  function pass(): void {
    const [next] = waiting;
    if (!next) return void running--;
    waiting.delete(next);
    next();
  }

  return {
    /** The weights of all work that waits. */
    load: (): number => load,
    /** @throws the reason of the signal if it aborts before the work begins */
    async run<T>(work: () => Promise<T>, where: Place = {}): Promise<T> {
      await turn(where);
      try {
        return await work();
      } finally {
        pass();
      }
    },
  };
}
