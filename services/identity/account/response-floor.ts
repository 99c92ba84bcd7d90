import { setTimeout as sleep } from 'node:timers/promises';

// A response-time floor against timing attacks. Work for a known address takes longer than for an
// unknown one, and a client that measures often enough could conclude from a millisecond
// which addresses have an account. The floor follows the recent durations of the slower branch: a
// constant is too low once the machine is busy.

export type FloorLimits = { leastMs: number; mostMs: number };

const defaults: FloorLimits = { leastMs: 50, mostMs: 3000 };
/** Durations kept of each branch. */
const sampleCount = 64;
/** Above nearly all calls of the slower branch, with room for slower ones. */
const quantile = 0.95;
const factor = 1.5;

/**
 * Returns a function that starts the clock of one response. Its floor is read at the start, so that
 * a call's own duration does not change its response time. `times`: how often the work runs.
 */
export function createFloor({ leastMs, mostMs }: FloorLimits) {
  const durations: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };

  const floor = () =>
    Math.min(
      mostMs,
      Math.max(leastMs, factor * high(durations.known), factor * high(durations.unknown)),
    );

  return (times = 1) => {
    const floorMs = times * floor();
    const began = performance.now();
    const soFar = () => performance.now() - began;
    return {
      /** Ends the work. `isKnown`: it took the branch of a known address. */
      note(isKnown: boolean, took = soFar()): void {
        const recent = durations[isKnown ? 'known' : 'unknown'];
        recent.push(took);
        if (recent.length > sampleCount) recent.shift();
      },
      /** Waits for the next multiple of the floor after the work, whose milliseconds are given. */
      async wait(took = soFar()): Promise<void> {
        const end = performance.now() + floorMs * Math.ceil(took / floorMs) - took;
        // A timer counts from the last turn of the event loop, so it fires early after long work.
        for (let restMs = end - performance.now(); restMs > 0; restMs = end - performance.now())
          await sleep(Math.ceil(restMs));
      },
    };
  };
}

/**
 * Returns a function that runs the work of one operation and responds at a multiple of the floor,
 * even if the work fails. The work resolves to whether it took the branch of a known address.
 */
export function createResponseFloor(limits: FloorLimits = defaults) {
  const start = createFloor(limits);
  return async (work: () => Promise<boolean>): Promise<void> => {
    const response = start();
    try {
      response.note(await work());
    } finally {
      await response.wait();
    }
  };
}

function high(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0;
}
