import type { Log } from '@bailiwick/process';
import type { Pipeline } from '../dispatch.ts';

/**
 * Starts background work of a service. The returned function stops it and waits for work in hand.
 */
export type Background = (deps: { dispatch: Pipeline }) => () => Promise<void>;

type RepeatOptions = {
  everyMs: number;
  log: Log;
  /** The log message for a failed run. */
  failed: string;
  /** One run. A long run should check `isStopped` now and then. */
  work: (isStopped: () => boolean) => Promise<unknown>;
};

/**
 * Repeats background work of a service, never concurrently. A failed run is retried by the next
 * one.
 */
export function repeat({ everyMs, log, failed, work }: RepeatOptions): Background {
  return () => {
    let stopped = false;
    let turn: Promise<unknown> | undefined;
    const timer = setInterval(() => {
      turn ??= work(() => stopped)
        .catch((error: unknown) => log.warn(failed, { error }))
        .finally(() => (turn = undefined));
    }, everyMs);
    return async () => {
      stopped = true;
      clearInterval(timer);
      await turn;
    };
  };
}
