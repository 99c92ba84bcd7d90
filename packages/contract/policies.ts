// Limits and names that several services use in the same way.

const seconds = 15 * 60;
const many = Number.MAX_SAFE_INTEGER;

/**
 * Limits of mails of one kind to one address, by the profile of BAILIWICK_LIMITS; further mails are
 * dropped silently. Mails about the platform are limited for each role of a subject with its end, and
 * for each bot. `count`: over all senders. `each`: for one asker, a network or a tenant. Mails
 * that any client can request have two totals: `known` for the networks from which the user has
 * signed in, and `others` for all others together, so that these do not use up the user's share.
 */
export const mailLimits = {
  standard: { count: 10, each: 4, others: 8, known: 8, seconds },
  strict: { count: 3, each: 2, others: 4, known: 4, seconds },
  off: { count: many, each: many, others: many, known: many, seconds: 60 },
} as const;
export type MailLimit = Readonly<Record<'count' | 'each' | 'others' | 'known' | 'seconds', number>>;

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
