import { createLane } from './lane.ts';

/** The result of a comparison, and its milliseconds since its turn in the lane of our hashes. */
export type Compared = { holds: boolean; ms: number };

export async function timed(work: () => Promise<boolean>): Promise<Compared> {
  const began = performance.now();
  return { holds: await work(), ms: performance.now() - began };
}

/** The expected wait, in milliseconds, at which the lane counts as full. A gateway waits 20 s. */
const maxWaitMs = 5000;
/** The least weight of a comparison, in hashes of ours: a slow one may follow quick ones. */
const leastWeight = 10;
/** The assumed duration of the first comparison, and how many recent ones are averaged. */
const [firstMs, kept] = [500, 32];

/**
 * The comparisons with hashes of other systems, `slots` at a time. Its load reaches `full` when the
 * expected wait reaches five seconds: the comparisons that wait, times the recent duration.
 */
export function createImportedLane(slots: number, full: number) {
  const lane = createLane(slots);
  let comparisons = 0;
  const recent: number[] = [];

  function note(ms: number): void {
    recent.push(ms);
    if (recent.length > kept) recent.shift();
  }

  function weight(): number {
    const sum = recent.reduce((total, ms) => total + ms, 0);
    const average = recent.length === 0 ? firstMs : sum / recent.length;
    return Math.max(leastWeight, (full * average) / (maxWaitMs * slots));
  }

  async function measured(work: () => Promise<boolean>): Promise<boolean> {
    const { holds, ms } = await timed(work);
    note(ms);
    return holds;
  }

  /**
   * Runs work in its turn. An aborted call leaves the lane as a wrong password, which the throttle
   * counts: otherwise a client could abort each guess that is not answered quickly, and none would
   * count.
   */
  const inTurn = (work: () => Promise<boolean>, place: { weight: number; signal: Signal }) =>
    timed(async () => {
      try {
        return await lane.run(work, place);
      } catch (thrown) {
        if (place.signal?.aborted) return false;
        throw thrown;
      }
    });

  return {
    /** The comparisons that wait, by their expected time, and the wrong passwords that wait. */
    load: (): number => lane.load() + Math.max(0, comparisons - slots) * weight(),
    /** Counts from the start of `before` on, so that calls at the same time see each other. */
    async compare(
      before: () => Promise<void>,
      work: () => Promise<boolean>,
      signal?: AbortSignal,
    ): Promise<Compared> {
      comparisons++;
      try {
        await before();
        return await inTurn(() => measured(work), { weight: 0, signal });
      } finally {
        comparisons--;
      }
    },
    /** Waits for a turn, as a wrong password of another account does. Returns the milliseconds. */
    pass: async (signal?: AbortSignal): Promise<number> =>
      (await inTurn(async () => true, { weight: 1, signal })).ms,
  };
}

type Signal = AbortSignal | undefined;
