import { setTimeout as sleep } from 'node:timers/promises';
import { causesOf } from '@bailiwick/errors';
import { type DescMethodUnary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';

// Decides which calls are retried. One retry too many creates a group twice; one too few fails a
// request because a process was replaced.

/** A call without a response. */
export class NoResponseError extends Error {
  /** By which packages/errors recognizes an outage, whatever code the cause has. */
  readonly code = 'BAILIWICK_NO_RESPONSE';
  /** Whether the service has certainly not processed it. */
  readonly unprocessed: boolean;
  constructor(unprocessed: boolean, cause: unknown) {
    super('the service does not answer', { cause });
    this.name = 'NoResponseError';
    this.unprocessed = unprocessed;
  }
}

/**
 * How long a call retries while a service refuses connections: about the restart time of a process.
 */
export const refusedTimeoutMs = 2000;

/**
 * How long a call waits for a connection that is slow to open or to answer the probe: the service
 * is overloaded or just starting.
 */
export const connectingTimeoutMs = 10_000;

/** Pauses before the second attempt, the third, … The last one repeats. */
const pausesMs = [0, 20, 50, 100, 200];
const maxRepetitions = 2;

type RetryOptions = { method: DescMethodUnary; timeoutMs: number; signal: AbortSignal | undefined };

/**
 * Makes attempts until one gets a response, all within `timeoutMs`. An attempt that is certainly
 * unprocessed is retried at least once and until the timeout, but only for `refusedTimeoutMs` if
 * every connection was refused: a refusal means that no process is there, while a slow connection
 * or an unresolved name may only mean that the node is busy. An attempt that may have been
 * processed is retried at most twice, and only if the method has no side effects.
 */
export async function withRetries<T>(
  { method, timeoutMs, signal }: RetryOptions,
  attempt: (remainingMs: number) => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const remainingMs = () => timeoutMs - (performance.now() - began);
  const repeatable = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  let onlyRefused = true;
  for (let failures = 0, repetitions = 0; ; failures++) {
    try {
      return await attempt(remainingMs());
    } catch (error) {
      const passed = performance.now() - began;
      const pause =
        (pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0) * (0.5 + Math.random() / 2);
      if (!(error instanceof NoResponseError) || signal?.aborted || passed + pause >= timeoutMs)
        throw error;
      onlyRefused &&= causesOf(error).some(({ code }) => code === 'ECONNREFUSED');
      const mayRetry = failures === 0 || !onlyRefused || passed < refusedTimeoutMs;
      const again = error.unprocessed ? mayRetry : repeatable && ++repetitions <= maxRepetitions;
      if (!again) throw error;
      if (pause > 0) await sleep(pause);
      // Timers of a busy process fire late.
      if (remainingMs() <= 0) throw error;
    }
  }
}
