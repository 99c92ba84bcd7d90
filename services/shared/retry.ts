import { setTimeout as sleep } from 'node:timers/promises';
import { type DescMethodUnary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { causesOf } from './errors.ts';

// What may be sent again. Once too often would be a group that is created twice; not often enough, a request that fails because a
// process was replaced.

/** A call that got no answer. */
export class Unanswered extends Error {
  /** Whether it is certain that the service has done nothing with it. */
  readonly unprocessed: boolean;
  constructor(unprocessed: boolean, cause: unknown) {
    super('the service does not answer', { cause });
    this.name = 'Unanswered';
    this.unprocessed = unprocessed;
  }
}

/** How long a call waits for a service that refuses connections: about the time that a process takes to start again. */
export const patienceMs = 2000;

/** How long for one that can be reached and is slow to greet: it has too much to do, or has just been started. */
export const slownessMs = 10_000;

/** Before the second attempt, the third, … The last one stays. */
const pausesMs = [0, 20, 50, 100, 200];
const maxRepetitions = 2;

type RetryOptions = { method: DescMethodUnary; timeoutMs: number; signal: AbortSignal | undefined };

/**
 * Makes attempts until one is answered, all of them within `timeoutMs`. An attempt that is certainly unprocessed is repeated until then,
 * but only for `patienceMs` if every connection was refused, and once in any case. A refusal says that no process is there; a slow
 * connection or a name that does not resolve says only that the node is busy. An attempt that may have been processed is repeated
 * twice at most, and only if the method is free of side effects.
 */
export async function withRetries<T>(
  { method, timeoutMs, signal }: RetryOptions,
  attempt: (remainingMs: number) => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const left = () => timeoutMs - (performance.now() - began);
  const repeatable = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  let onlyRefused = true;
  for (let failures = 0, repetitions = 0; ; failures++) {
    try {
      return await attempt(left());
    } catch (error) {
      const passed = performance.now() - began;
      const pause =
        (pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0) * (0.5 + Math.random() / 2);
      if (!(error instanceof Unanswered) || signal?.aborted || passed + pause >= timeoutMs)
        throw error;
      onlyRefused &&= causesOf(error).some(({ code }) => code === 'ECONNREFUSED');
      const isPatient = failures === 0 || !onlyRefused || passed < patienceMs;
      const again = error.unprocessed ? isPatient : repeatable && ++repetitions <= maxRepetitions;
      if (!again) throw error;
      if (pause > 0) await sleep(pause);
      // A busy process wakes up late.
      if (left() <= 0) throw error;
    }
  }
}
