import { type Limit, type LimitProfile, perMinute } from '@bailiwick/shared/limits.ts';

/**
 * Calls from one address. Home-realm discovery asks once a sign-in, and an office signs in behind one address; a sign-in
 * is counted when it begins and when it ends.
 */
export const ssoLimits: Record<LimitProfile, Record<string, Limit>> = {
  standard: { sso_check: perMinute(300), sign_in: perMinute(240) },
  strict: { sso_check: perMinute(60), sign_in: perMinute(60) },
  off: {},
};
