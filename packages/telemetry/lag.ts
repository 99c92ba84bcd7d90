const intervalMs = 100;

/**
 * Measures how long the event loop is blocked. The returned function gives the longest block since
 * its last call, in milliseconds. Does not use monitorEventLoopDelay: Deno 2.9 reports 5 ms for a
 * loop that was blocked for 1500.
 */
export function measureLag(): () => number {
  let last = performance.now();
  let worst = 0;
  const sample = (): void => {
    const now = performance.now();
    worst = Math.max(worst, now - last - intervalMs);
    last = now;
  };
  setInterval(sample, intervalMs).unref();
  return () => {
    sample(); // the caller may run before the timer does, after the loop was blocked
    const lag = worst;
    worst = 0;
    return lag;
  };
}
