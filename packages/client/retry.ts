import { BailiwickError } from './errors.ts';

// When to retry a call, and how long to wait.

export type RetryRules = {
  /** Maximum number of retries; 0 = none. */
  retries: number;
  /** Longest wait before a retry. If the service asks for more, the call fails at once. */
  maxWaitMs: number;
};

const firstWaitMs = 200;
const longestBackoffMs = 5_000;

/**
 * The wait before the next attempt in ms; undefined = no retry. After a 429 every operation may be
 * retried: the call was not executed, or the one with its Idempotency-Key is in progress. After an error
 * of the service or the network it is unknown whether the call was executed. Then only operations
 * without side effects and calls with an Idempotency-Key are retried.
 */
export function waitBeforeRetry(
  error: unknown,
  attempt: number,
  repeatable: boolean,
  { retries, maxWaitMs }: RetryRules,
): number | undefined {
  if (attempt > retries || !(error instanceof BailiwickError)) return undefined;
  const exhausted = error.status === 429;
  const unknown = error.status >= 500 || (error.status === 0 && error.Code === 'unavailable');
  if (!exhausted && !(unknown && repeatable)) return undefined;
  const waitMs = error.retryAfter === undefined ? backoff(attempt) : error.retryAfter * 1000;
  return waitMs <= maxWaitMs ? waitMs : undefined;
}

/** Exponential backoff with jitter, so that clients that failed together do not retry together. */
function backoff(attempt: number): number {
  const limit = Math.min(longestBackoffMs, firstWaitMs * 2 ** (attempt - 1));
  return limit / 2 + (Math.random() * limit) / 2;
}

/** The seconds of a Retry-After header, which is a number or a date. */
export function retryAfterSeconds(
  header: string | null,
  now: number = Date.now(),
): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}
