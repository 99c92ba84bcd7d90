import type { Finished, Store } from './store.ts';

/** Stores a result. `free` frees the attempt's slot for the next one. */
export type Finish = (finished: Finished, free?: () => void) => Promise<void>;

/**
 * Stores the results of a lane. A slot may be freed before its result is stored: at most `mostEarly`
 * slots at once, and none while storing fails, because each of those attempts will be repeated.
 */
export function createFinish(store: Pick<Store, 'finish'>, mostEarly: number): Finish {
  let freedEarly = 0;
  let isFailing = false;

  // Keeps trying, so that a short database outage does not repeat the attempt.
  async function keepTrying(finished: Finished): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await store.finish(finished);
        isFailing = false;
        return;
      } catch (error) {
        isFailing = true;
        if (tries === 30) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  return async (finished, free) => {
    if (!free || isFailing || freedEarly >= mostEarly) return await keepTrying(finished);
    freedEarly++;
    free();
    try {
      await keepTrying(finished);
    } finally {
      freedEarly--;
    }
  };
}
