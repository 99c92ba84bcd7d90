import { type Limit, type LimitProfile, mailLimits, perMinute } from '@bailiwick/shared/limits.ts';

// The limits of access's open operations, and of the mails that it causes.

export type InvitationLimits = {
  /** By rate class and client address. */
  addresses: Readonly<Record<string, Limit>>;
  /** Mails to one address; more are dropped silently. */
  mails: Limit;
};

export const invitationLimits: Record<LimitProfile, InvitationLimits> = {
  standard: { addresses: { token: perMinute(120) }, mails: mailLimits.standard },
  strict: { addresses: { token: perMinute(60) }, mails: mailLimits.strict },
  off: { addresses: {}, mails: mailLimits.off },
};
