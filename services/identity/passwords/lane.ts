import { exhausted } from '@bailiwick/errors';

/** A wait for a hash ends after this time: the gateway ends the call after 20 s. */
const longestWaitMs = 15_000;

/** The moment, of `performance.now()`, at which a call that begins now stops waiting. */
export const waitUntil = (): number => performance.now() + longestWaitMs;

/** For a sign-in that has no room in its lane, or has waited in it for too long. */
export const tooManySignIns = (retryAfter = 1) =>
  exhausted('too many concurrent sign-ins', retryAfter, 'SIGN_INS_BUSY');

/** `until`: when the work is refused. `signal`: the work leaves the lane if it aborts. */
type Place = { until?: number | undefined; signal?: AbortSignal | undefined };

/** Runs work in the order of arrival, at most `slots` at a time. */
export function createLane(slots: number) {
  let running = 0;
  const waiting = new Set<() => void>();

  async function turn({ until, signal }: Place): Promise<void> {
    signal?.throwIfAborted();
    if (running >= slots) return place(until, signal);
    running++;
  }

  function place(until: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: Error) => {
        forget();
        reject(reason);
      };
      const abort = () => leave(signal?.reason as Error);
      const timer =
        until === undefined
          ? undefined
          : setTimeout(() => leave(tooManySignIns(5)), Math.max(0, until - performance.now()));
      const enter = () => {
        forget();
        resolve();
      };
      const forget = () => {
        clearTimeout(timer);
        waiting.delete(enter);
        signal?.removeEventListener('abort', abort);
      };
      waiting.add(enter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Passes the slot to the next in line, or frees it. */
  function pass(): void {
    const [next] = waiting;
    if (next) next();
    else running--;
  }

  return {
    /** How much work waits. */
    load: (): number => waiting.size,
    isIdle: (): boolean => running === 0,
    /**
     * @throws resource_exhausted if the work has not begun at `until`, and the reason of the signal
     * if it aborts before the work begins
     */
    async run<T>(work: () => Promise<T>, where: Place = {}): Promise<T> {
      await turn(where);
      try {
        return await work();
      } finally {
        pass();
      }
    },
  };
}
