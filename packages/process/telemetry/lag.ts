import { everySecond } from './every-second.ts';

/**
 * Measures how long the event loop is blocked. The returned function gives the greatest delay of a
 * timer since its last call, in milliseconds: at most a second less than the longest block.
 * Does not use monitorEventLoopDelay: it wakes an idle process 100 times a second, and Deno 2.9
 * reports 5 ms for a loop that was blocked for 1500.
 */
export function measureLag(repeat = everySecond): () => number {
  let last = performance.now();
  let worst = 0;
  const sample = (): void => {
    const now = performance.now();
    worst = Math.max(worst, now - last - 1000);
    last = now;
  };
  repeat(sample);
  return () => {
    // The caller may run before the timer does, after the loop was blocked.
    const now = performance.now();
    const lag = Math.max(worst, now - last - 1000);
    worst = 0;
    // The timer that is late now does not report the same block again.
    last = Math.max(last, now - 1000);
    return lag;
  };
}
