/** The end of a call: the caller's signal, or its time is over. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Whether it was the time. */
  readonly expired: () => boolean;
  /** Time does not matter any more; the caller's signal still does. */
  readonly stopClock: () => void;
  /** Lets go of the caller's signal, which may live long. */
  readonly release: () => void;
};

export function startDeadline(given: AbortSignal | undefined, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let expired = false;
  // Timers know no longer one, and would end at once.
  const timer =
    timeoutMs < 2 ** 31
      ? setTimeout(() => {
          expired = true;
          controller.abort();
        }, timeoutMs)
      : undefined;
  const stopClock = () => clearTimeout(timer);
  const abort = () => controller.abort(given?.reason);
  if (given?.aborted) abort();
  else given?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    stopClock,
    release() {
      stopClock();
      given?.removeEventListener('abort', abort);
    },
  };
}

/** Waits for what knows of no signal, or throws the signal's reason as soon as it is aborted. */
export function orAborted<Value>(
  work: Value | Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  return Promise.race([work, aborted]);
}

/** Waits, or throws the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
