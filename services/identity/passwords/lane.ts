/** Runs work in the order of arrival, at most `slots` at a time. */
export function createLane(slots: number) {
  let running = 0;
  let load = 0;
  const waiting: Array<() => void> = [];

  async function turn(weight: number): Promise<void> {
    if (running < slots) {
      running++;
      return;
    }
    load += weight;
    await new Promise<void>((resolve) => waiting.push(resolve));
    load -= weight;
  }

  return {
    /** The weights of all work that waits. */
    load: (): number => load,
    async run<T>(work: () => Promise<T>, weight = 1): Promise<T> {
      await turn(weight);
      try {
        return await work();
      } finally {
        // Passes the slot to the next in line, or frees it.
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
