const intervalMs = 100;

/**
 * Measures for how long the event loop stands still. The function it returns tells the longest time since it was last asked, in
 * milliseconds. Not with monitorEventLoopDelay: Deno's (2.9) says 5 ms of a loop that stood still for 1500.
 */
export function measureLag(): () => number {
  let last = performance.now();
  let worst = 0;
  const look = (): void => {
    const now = performance.now();
    worst = Math.max(worst, now - last - intervalMs);
    last = now;
  };
  setInterval(look, intervalMs).unref();
  return () => {
    look(); // whoever asks may be served before the timer is, once the loop moves again
    const lag = worst;
    worst = 0;
    return lag;
  };
}
