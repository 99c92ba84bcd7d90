import { setTimeout as sleep } from 'node:timers/promises';

// A response-time floor against timing attacks. Work for a known address takes longer than for an unknown one, and an answer that
// comes a millisecond later would tell, to a client that asks often enough, who has an account. The floor follows what the slower
// branch has taken lately: a constant is too low as soon as the machine is busy.

export type FloorLimits = { leastMs: number; mostMs: number };

const defaults: FloorLimits = { leastMs: 50, mostMs: 3000 };
/** The durations of each branch that count. */
const kept = 64;
/** Above the duration of nearly all calls of the slower branch, with room for one that is slower still. */
const quantile = 0.95;
const factor = 1.5;

export type ResponseFloor = ReturnType<typeof createResponseFloor>;

/**
 * Makes what runs the work of one operation, which resolves to whether it took the branch of a known address. The caller is
 * answered at a multiple of the floor, also where the work fails.
 */
export function createResponseFloor({ leastMs, mostMs }: FloorLimits = defaults) {
  const durations: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };

  const floor = () =>
    Math.min(
      mostMs,
      Math.max(leastMs, factor * high(durations.known), factor * high(durations.unknown)),
    );

  return async (work: () => Promise<boolean>): Promise<void> => {
    // Taken before, so that this call's own duration does not move the time of its answer.
    const floorMs = floor();
    const began = performance.now();
    try {
      const isKnown = await work();
      const recent = durations[isKnown ? 'known' : 'unknown'];
      recent.push(performance.now() - began);
      if (recent.length > kept) recent.shift();
    } finally {
      const took = performance.now() - began;
      await sleep(Math.ceil(floorMs * Math.ceil(took / floorMs) - took));
    }
  };
}

function high(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0;
}
