import { invalid } from '@bailiwick/shared/errors.ts';

// How long keys live, and when something is said about it. Pure.

export const dayMs = 24 * 60 * 60 * 1000;

const defaultDays = 90;
const maxDays = 365;
/** Whoever holds a key that was rotated has this long to change over. */
const overlapMs = dayMs;
/** So long before the end an event says that it is coming. */
const warningsMs = [14 * dayMs, 3 * dayMs];

/** `tenantDays` is what the key's tenant allows; 0 = it has not said. */
const allowedDays = (tenantDays: number): number =>
  tenantDays > 0 ? Math.min(tenantDays, maxDays) : maxDays;

/** Throws invalid_argument for a time that is further ahead than a key may live. */
export function assertWithinLimit(expiresAt: Date, tenantDays: number, now: Date): void {
  const days = allowedDays(tenantDays);
  if (expiresAt.getTime() > now.getTime() + days * dayMs)
    throw invalid(`ExpiresAt must be at most ${days} days ahead`);
}

/** When a new key expires. */
export function expiryOf(asked: Date | undefined, tenantDays: number, now: Date): Date {
  if (!asked)
    return new Date(now.getTime() + Math.min(defaultDays, allowedDays(tenantDays)) * dayMs);
  assertWithinLimit(asked, tenantDays, now);
  return asked;
}

/** When a key that is rotated now expires: no later than it would have by itself. */
export const expiryAfterRotation = (expiresAt: Date, now: Date): Date =>
  new Date(Math.min(expiresAt.getTime(), now.getTime() + overlapMs));

/** The next time after `after` at which something is to be said about an expiry. A warning that comes too late is left out. */
export function nextNotice(expiresAt: Date, after: Date): Date | null {
  const times = [...warningsMs, 0].map((before) => expiresAt.getTime() - before);
  const next = times.find((time) => time > after.getTime());
  return next === undefined ? null : new Date(next);
}
