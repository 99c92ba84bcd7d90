// A call ends at its deadline, or when its caller is gone. A plain timer does this: an AbortSignal
// costs several times as much, and AbortSignal.timeout keeps running after the call and then creates
// an error with its stack. The signal is made only for handlers that read it.

/** The end of one call. `finish` releases it once the call has its response. */
export type Deadline = {
  /** Aborts at the end. Made on first use. */
  signal(): AbortSignal;
  hasEnded(): boolean;
  /** Ends the call now. */
  end(): void;
  finish(): void;
};

/** Starts the deadline of a call. `onEnd` runs at its end; 0 = no time limit. */
export function startDeadline(timeoutMs: number, onEnd: () => void = () => {}): Deadline {
  let controller: AbortController | undefined;
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    controller?.abort();
    onEnd();
  };
  const timer = timeoutMs > 0 ? setTimeout(end, Math.min(timeoutMs, maxTimerMs)) : undefined;
  return {
    signal() {
      controller ??= new AbortController();
      if (hasEnded) controller.abort();
      return controller.signal;
    },
    hasEnded: () => hasEnded,
    end,
    finish: () => clearTimeout(timer),
  };
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;
