import type { Log } from '@bailiwick/process';

/**
 * Starts background work of a service. The returned function stops it and waits for work in hand.
 */
export type Background = () => () => Promise<void>;

type RepeatOptions = {
  everyMs: number;
  log: Log;
  /** The log message for a failed run. */
  failed: string;
  /** One run. A long run should check `isStopped` now and then. */
  work: (isStopped: () => boolean) => Promise<unknown>;
  /** A run that takes long is followed by a pause of this many times its length. */
  restFactor?: number;
};

/**
 * Repeats background work of a service, never concurrently. A failed run is retried by the next
 * one.
 */
export function repeat({ everyMs, log, failed, work, restFactor = 0 }: RepeatOptions): Background {
  return () => {
    let stopped = false;
    let turn: Promise<unknown> | undefined;
    let restEndsAt = 0;
    const run = async (began: number) => {
      await work(() => stopped).catch((error: unknown) => log.warn(failed, { error }));
      const ended = performance.now();
      restEndsAt = ended + restFactor * (ended - began);
      turn = undefined;
    };
    const timer = setInterval(() => {
      const now = performance.now();
      if (now >= restEndsAt) turn ??= run(now);
    }, everyMs);
    return async () => {
      stopped = true;
      clearInterval(timer);
      await turn;
    };
  };
}
