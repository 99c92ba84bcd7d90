type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Batches items: those that arrive during a run join the next one, and a single item never waits
 * for others. `run` returns one result for each item, in order. If the database rejects values of a
 * batch, each item is run alone, so that an invalid item does not fail the others. `restMs`: how
 * long the next run waits after one of several items, so that under load more share it, unless
 * `size` items wait; with `restsAfterOne` also after one of a single item.
 */
export function createBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { size = 200, atOnce = 2, restMs = 0, restsAfterOne = false } = {},
) {
  const waiting: Array<Waiting<Item, Result>> = [];
  let running = 0;
  const rests = new Set<NodeJS.Timeout>();

  function begin(): void {
    while (running < atOnce && waiting.length > 0) {
      running++;
      const entries = waiting.splice(0, size);
      void runTogether(entries).finally(() => {
        const mayRest = restMs > 0 && waiting.length < size;
        if (mayRest && (restsAfterOne || entries.length > 1)) rest();
        else end();
      });
    }
  }

  function rest(): void {
    const timer = setTimeout(() => {
      rests.delete(timer);
      end();
    }, restMs);
    rests.add(timer);
  }

  function endRests(): void {
    for (const timer of rests) {
      clearTimeout(timer);
      rests.delete(timer);
      end();
    }
  }

  function end(): void {
    running--;
    begin();
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
      // Starts after this turn of the event loop, so that all items of one turn run together.
      if (waiting.length === 1) setImmediate(begin);
      if (waiting.length >= size) endRests();
    });
}

/**
 * Whether PostgreSQL rejected values (SQLSTATE classes 21 to 23). Any other error would repeat for
 * each item alone.
 */
const isOfValues = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^2[123]/.test(error.code);
