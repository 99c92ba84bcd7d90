type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Asks for many things together: what is asked for while others are on their way goes with the next. Alone, an item waits for
 * nobody. `run` gives one result for each item, in order; where the database refuses what several of them hold, each is tried by
 * itself, so that one that cannot succeed harms no other.
 */
export function createBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size = 200, atOnce = 2 } = {},
) {
  const waiting: Array<Waiting<Item, Result>> = [];
  let running = 0;

  function begin(): void {
    while (running < atOnce && waiting.length > 0) {
      running++;
      void runTogether(waiting.splice(0, size)).finally(() => {
        running--;
        begin();
      });
    }
  }

  async function runTogether(entries: ReadonlyArray<Waiting<Item, Result>>): Promise<void> {
    try {
      const results = await run(entries.map(({ item }) => item));
      entries.forEach(({ resolve, reject }, index) => {
        if (index < results.length) resolve(results[index] as Result);
        else reject(new Error('a batch has fewer results than items'));
      });
    } catch (error) {
      if (entries.length === 1 || !isOfValues(error))
        entries.forEach(({ reject }) => reject(error));
      else for (const entry of entries) await runTogether([entry]);
    }
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // After this turn of the event loop: what is asked for in the same one goes together.
      if (waiting.length === 1) setImmediate(begin);
    });
}

/** Whether PostgreSQL refuses what it was given (SQLSTATE classes 21 to 23): everything else would happen to each item by itself too. */
const isOfValues = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^2[123]/.test(error.code);
