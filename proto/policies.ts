// Limits and names that several services use in the same way.

/**
 * Limits of mails to one address, over all senders, by the profile of BAILIWICK_LIMITS; further
 * mails are dropped silently.
 */
export const mailLimits = {
  standard: { count: 10, seconds: 15 * 60 },
  strict: { count: 3, seconds: 15 * 60 },
  off: { count: Number.MAX_SAFE_INTEGER, seconds: 60 },
} as const;

/** How recent a sign-in must be for sensitive operations, if the tenant requires a recent one. */
export const recentLoginMs = 15 * 60_000;

/**
 * The assurance of a sign-in, in ascending order: one factor, two, or two of which none can be given
 * to another site.
 */
export const assurances = ['aal1', 'aal2', 'phishing_resistant'] as const;
/** One of them. */
export type Assurance = (typeof assurances)[number];

/**
 * In the place of a tenant's ID: the platform, whose providers open sessions. No ID of a tenant looks
 * like this.
 */
export const platformPlace = 'platform';
