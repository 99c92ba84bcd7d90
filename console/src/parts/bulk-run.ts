/** A call that failed, with the item that it was for. */
export type BulkFailure<Item> = { item: Item; error: unknown };

/** `skipped`: the items without a call, because the run ended before their turn. */
export type BulkResult<Item> = {
  successes: Item[];
  failures: BulkFailure<Item>[];
  skipped: Item[];
};

type Options<Item> = {
  call: (item: Item) => Promise<unknown>;
  /** Whether no further call is made after such an error: the others would fail alike. */
  isFinal: (error: unknown) => boolean;
  isStopped?: () => boolean;
  /** Gets the number of calls that have ended. */
  onProgress?: (count: number) => void;
  /** Calls at the same time. */
  atOnce?: number;
};

/** Browsers open about six connections to a server, and the view needs some of them. */
const mostAtOnce = 4;

/** Makes a call for each item. One that fails does not hold up the others. */
export async function runAll<Item>(
  items: readonly Item[],
  { call, isFinal, isStopped, onProgress, atOnce = mostAtOnce }: Options<Item>,
): Promise<BulkResult<Item>> {
  const successes: Item[] = [];
  const failures: BulkFailure<Item>[] = [];
  const waiting = items.values();
  let isOver = false;
  const work = async () => {
    // The iterator is shared: each item is taken once.
    for (const item of waiting) {
      try {
        await call(item);
        successes.push(item);
      } catch (error) {
        failures.push({ item, error });
        isOver ||= isFinal(error);
      }
      onProgress?.(successes.length + failures.length);
      if (isOver || isStopped?.()) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { successes, failures, skipped: [...waiting] };
}
