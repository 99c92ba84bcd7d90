/** `count` uses in a window of `seconds`. */
export type Limit = { count: number; seconds: number };

/**
 * The standard limits do not affect an office network or a test suite; the strict ones are for
 * public installations; off is for load tests.
 */
export type LimitProfile = 'standard' | 'strict' | 'off';

/** A limit of `count` uses a minute. */
export const perMinute = (count: number): Limit => ({ count, seconds: 60 });

/** A limit that no client reaches. */
export const unlimited: Limit = perMinute(Number.MAX_SAFE_INTEGER);
