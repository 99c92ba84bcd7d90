import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Gates } from '../endpoints/gates.ts';
import type { Pace } from '../endpoints/pace.ts';
import type { Gate } from '../endpoints/queries.ts';
import type { Attempt } from './attempt.ts';
import type { Release } from './parking/queries.ts';
import type { Slots } from './slots.ts';

/**
 * What becomes of an attempt before it is made: it is (run, `free` when it is over), goes to the slow lane (spill), is kept back
 * until its endpoint can be sent to (park), or goes back to the broker since the process stops.
 */
export type Admission =
  | { go: 'run'; gate: Gate | undefined; free: () => void }
  | { go: 'spill' }
  | { go: 'park'; release: Release }
  | { go: 'stopped' };

/** What all lanes of a process know together. */
export type AdmissionDeps = {
  gates: Gates;
  limiter: Pick<Limiter, 'use'>;
  pace: Pace;
  probing: Set<string>;
};

/** So long an attempt waits for a slot before it goes to the slow lane, or from there into a row: others may be behind it. */
const patienceMs = { quick: 500, slow: 15_000 };

/** Kept back until the pause is over, and let go one by one until one of them succeeds. */
const afterPause: Release = { size: 1, afterSeconds: 0 };
const afterOverflow: Release = { size: 8, afterSeconds: 0 };
const nextSecond: Release = { size: 500, afterSeconds: 1 };

/** Decides for one lane. Pauses and limits hold in all processes together, slots in this one. */
export function createAdmission(
  { gates, limiter, pace, probing }: AdmissionDeps,
  slots: Slots,
  isSlowLane: boolean,
) {
  const overflow = (): Admission =>
    isSlowLane ? { go: 'park', release: afterOverflow } : { go: 'spill' };

  return async (attempt: Attempt): Promise<Admission> => {
    const { tenant, endpoint } = attempt;
    if (endpoint === '') {
      const slot = await slots.take(attempt);
      return slot === 'run'
        ? { go: 'run', gate: undefined, free: () => slots.free(attempt) }
        : { go: 'stopped' };
    }
    const kept = keptBack(await gates.of(tenant, endpoint));
    if (kept) return { go: 'park', release: kept };
    if (!isSlowLane && pace.isSlow(endpoint)) return { go: 'spill' };
    const slot = await slots.take(attempt, isSlowLane ? patienceMs.slow : patienceMs.quick);
    if (slot === 'stopped') return { go: 'stopped' };
    if (slot !== 'run') return overflow();
    const free = () => slots.free(attempt);
    try {
      const admission = await enter(attempt, free);
      if (admission.go !== 'run') free();
      return admission;
    } catch (error) {
      free();
      throw error;
    }
  };

  /** With a slot in hand. While it was waited for the endpoint may have been paused. */
  async function enter({ tenant, endpoint }: Attempt, free: () => void): Promise<Admission> {
    const gate = await gates.of(tenant, endpoint);
    const kept = keptBack(gate) ?? (await beyondRate(endpoint, gate.rateLimit));
    if (kept) return { go: 'park', release: kept };
    if (gate.pauseMs === 0) return { go: 'run', gate, free };
    // One delivery tries out whether it has recovered. Nothing is awaited between the look and the mark.
    if (probing.has(endpoint)) return { go: 'park', release: afterPause };
    probing.add(endpoint);
    return { go: 'run', gate, free: () => (probing.delete(endpoint), free()) };
  }

  async function beyondRate(endpoint: string, count: number): Promise<Release | undefined> {
    const isBeyond =
      count > 0 && (await limiter.use(`endpoint ${endpoint}`, { count, seconds: 1 })) > 0;
    return isBeyond ? nextSecond : undefined;
  }
}

function keptBack({ pausedUntil, pauseMs }: Gate): Release | undefined {
  if (pausedUntil === null || new Date(pausedUntil) <= new Date()) return undefined;
  return pauseMs > 0 ? afterPause : afterOverflow;
}
