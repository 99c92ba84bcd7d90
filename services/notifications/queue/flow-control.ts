import type { Limiter } from '@bailiwick/store';
import type { LatencyTracker } from '../health/latency-tracker.ts';
import type { EndpointState } from '../health/queries.ts';
import type { EndpointStates } from '../health/state.ts';
import type { Attempt } from './attempt.ts';
import type { Release } from './parking/queries.ts';
import type { Slots } from './slots.ts';

/**
 * The decision before an attempt is made. run: make it, and call `free` when it is over. spill:
 * send it to the slow lane. park: keep it until its endpoint can be sent to. stopped: return it to
 * the broker, because the process stops.
 */
export type FlowDecision =
  | { go: 'run'; endpointState: EndpointState | undefined; free: () => void }
  | { go: 'spill' }
  | { go: 'park'; release: Release }
  | { go: 'stopped' };

/** Shared by all lanes of a process. */
export type FlowControlDeps = {
  endpointStates: EndpointStates;
  limiter: Pick<Limiter, 'use'>;
  latency: LatencyTracker;
  probing: Set<string>;
};

/**
 * How long an attempt waits for a slot before it goes to the slow lane, or from there into a row.
 * The backlog of a healthy endpoint moves on within the time of the quick lanes.
 */
const maxWaitMs = { quick: 2000, slow: 15_000 };

/** Tasks stay parked until the pause ends, then are released one at a time until one succeeds. */
const afterPause: Release = { size: 1, afterSeconds: 0 };
const afterOverflow: Release = { size: 128, afterSeconds: 0 };
const nextSecond: Release = { size: 500, afterSeconds: 1 };

/**
 * Decides for one lane. Pauses and rate limits hold across all processes, slots in this process.
 */
export function createFlowControl(
  { endpointStates, limiter, latency, probing }: FlowControlDeps,
  slots: Slots,
  isSlowLane: boolean,
) {
  return async (attempt: Attempt): Promise<FlowDecision> => {
    const { tenant, endpoint } = attempt;
    if (endpoint === '') {
      const slot = await slots.take(attempt);
      return slot === 'run'
        ? { go: 'run', endpointState: undefined, free: () => slots.free(attempt) }
        : { go: 'stopped' };
    }
    const release = releaseAfterPause(await endpointStates.get(tenant, endpoint));
    if (release) return { go: 'park', release };
    if (!isSlowLane && latency.isSlow(endpoint)) return { go: 'spill' };
    const slot = await slots.take(attempt, {
      maxWaitMs: isSlowLane ? maxWaitMs.slow : maxWaitMs.quick,
      bytes: attempt.text.length,
    });
    if (slot === 'stopped') return { go: 'stopped' };
    if (slot === 'late' && !isSlowLane) return { go: 'spill' };
    if (slot !== 'run') return { go: 'park', release: afterOverflow };
    const free = () => slots.free(attempt);
    try {
      const decision = await enter(attempt, free);
      if (decision.go !== 'run') free();
      return decision;
    } catch (error) {
      free();
      throw error;
    }
  };

  /**
   * Called with a slot taken. The endpoint may have been paused while the attempt waited for it.
   */
  async function enter({ tenant, endpoint }: Attempt, free: () => void): Promise<FlowDecision> {
    const endpointState = await endpointStates.get(tenant, endpoint);
    const release =
      releaseAfterPause(endpointState) ??
      (await releaseAfterRateLimit(endpoint, endpointState.rateLimit));
    if (release) return { go: 'park', release };
    if (endpointState.pauseMs === 0) return { go: 'run', endpointState, free };
    // Half-open breaker: one delivery probes whether the endpoint has recovered. There is no await
    // between the check and the mark.
    if (probing.has(endpoint)) return { go: 'park', release: afterPause };
    probing.add(endpoint);
    return { go: 'run', endpointState, free: () => (probing.delete(endpoint), free()) };
  }

  async function releaseAfterRateLimit(
    endpoint: string,
    count: number,
  ): Promise<Release | undefined> {
    const isOverLimit =
      count > 0 && (await limiter.use(`endpoint ${endpoint}`, { count, seconds: 1 })) > 0;
    return isOverLimit ? nextSecond : undefined;
  }
}

function releaseAfterPause({ pausedUntil, pauseMs }: EndpointState): Release | undefined {
  if (pausedUntil === null || new Date(pausedUntil) <= new Date()) return undefined;
  return pauseMs > 0 ? afterPause : afterOverflow;
}
