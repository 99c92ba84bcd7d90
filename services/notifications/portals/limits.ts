import { type Limit, type LimitProfile, perMinute } from '@bailiwick/contract';

/** Limits per IP address, in addition to those on each link. A token has 256 random bits. */
export const portalLimits: Record<LimitProfile, Record<string, Limit>> = {
  standard: { portal_open: perMinute(60) },
  strict: { portal_open: perMinute(20) },
  off: {},
};
