/** Ends a call when the caller's signal is aborted or its time limit is reached. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Whether the time limit was reached. */
  readonly expired: () => boolean;
  /** Stops the time limit. The caller's signal still ends the call. */
  readonly stopClock: () => void;
  /** Stops the time limit, and removes the listener from the caller's signal, which can be long-lived. */
  readonly release: () => void;
};

export function startDeadline(signal: AbortSignal | undefined, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let expired = false;
  // A timer with a longer delay fires at once.
  const timer =
    timeoutMs < 2 ** 31
      ? setTimeout(() => {
          expired = true;
          controller.abort();
        }, timeoutMs)
      : undefined;
  const stopClock = () => clearTimeout(timer);
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired,
    stopClock,
    release() {
      stopClock();
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Waits for work that does not accept a signal. @throws the signal's reason as soon as it is aborted */
export function orAborted<Value>(
  work: Value | Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  return Promise.race([work, aborted]);
}

/** Waits. @throws the signal's reason as soon as it is aborted */
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
