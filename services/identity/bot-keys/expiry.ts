import { invalid } from '@bailiwick/errors';

// Lifetimes of keys, and when to announce their expiry. Pure functions.

export const dayMs = 24 * 60 * 60 * 1000;

const defaultDays = 90;
const maxDays = 365;
/** After a rotation, the old key is valid for this time. */
const overlapMs = dayMs;
/** Times before the expiry at which a warning event is sent. */
const warningsMs = [14 * dayMs, 3 * dayMs];

/** `tenantDays` is the tenant's limit; 0 = none. */
const allowedDays = (tenantDays: number): number =>
  tenantDays > 0 ? Math.min(tenantDays, maxDays) : maxDays;

/** Throws invalid_argument if the expiry exceeds the longest lifetime of a key. */
export function assertWithinLimit(expiresAt: Date, tenantDays: number, now: Date): void {
  const days = allowedDays(tenantDays);
  if (expiresAt.getTime() > now.getTime() + days * dayMs)
    throw invalid(`ExpiresAt must be at most ${days} days ahead`);
}

export function expiryOf(requested: Date | undefined, tenantDays: number, now: Date): Date {
  if (!requested)
    return new Date(now.getTime() + Math.min(defaultDays, allowedDays(tenantDays)) * dayMs);
  assertWithinLimit(requested, tenantDays, now);
  return requested;
}

/** The expiry of a key that is rotated now, never later than before. */
export const expiryAfterRotation = (expiresAt: Date, now: Date): Date =>
  new Date(Math.min(expiresAt.getTime(), now.getTime() + overlapMs));

/**
 * The next time after `after` at which an event about the expiry is due. Skips warnings whose time
 * has passed.
 */
export function nextNotice(expiresAt: Date, after: Date): Date | null {
  const times = [...warningsMs, 0].map((before) => expiresAt.getTime() - before);
  const next = times.find((time) => time > after.getTime());
  return next === undefined ? null : new Date(next);
}
