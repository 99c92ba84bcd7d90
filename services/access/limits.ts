import { type Limit, type LimitProfile, mailLimits, perMinute } from '@bailiwick/shared/limits.ts';

// The limits of access's open operations, of the mails that it causes, and of what a tenant may have. These last ones nobody is
// meant to meet: they are there so that nothing has to be read of one tenant that fills a process.

/** On single resources, of which there is no end. Of roles in the whole tenant each subject has each role once. */
export const grantsPerTenant = 100_000;
/** On single resources, to a user, a bot or a group. */
export const grantsPerSubject = 10_000;
/** Of its own. */
export const rolesPerTenant = 1000;

export type InvitationLimits = {
  /** By rate class and client address. */
  addresses: Readonly<Record<string, Limit>>;
  /** Mails to one address; more are dropped silently. */
  mails: Limit;
  /** Invitations and added users of one tenant, so that it does not fill the queue that everybody's mails wait in. */
  tenant: Limit;
  /** Mails to one user about being added to one tenant; more are dropped silently. */
  offers: Limit;
};

const oneADay: Limit = { count: 1, seconds: 24 * 60 * 60 };
const perHour = (count: number): Limit => ({ count, seconds: 3600 });

export const invitationLimits: Record<LimitProfile, InvitationLimits> = {
  standard: {
    addresses: { token: perMinute(120) },
    mails: mailLimits.standard,
    tenant: perHour(500),
    offers: oneADay,
  },
  strict: {
    addresses: { token: perMinute(60) },
    mails: mailLimits.strict,
    tenant: perHour(100),
    offers: oneADay,
  },
  off: { addresses: {}, mails: mailLimits.off, tenant: mailLimits.off, offers: mailLimits.off },
};
