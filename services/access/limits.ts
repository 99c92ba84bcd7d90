import {
  type Limit,
  type LimitProfile,
  type MailLimit,
  mailLimits,
  perMinute,
  unlimited,
} from '@bailiwick/contract';

// Limits of access's public operations, of the mails that it causes, and of rows per tenant. The
// row limits are far above normal use: they keep the rows of one tenant from filling a process's
// memory.

/**
 * On resources, which an application may have without end. On the whole tenant, a subject has each
 * role once.
 */
export const grantsPerTenant = 100_000;
/** On resources, of a user, a bot or a group. */
export const grantsPerSubject = 10_000;
/** Roles defined by the tenant. */
export const rolesPerTenant = 1000;

export type InvitationLimits = {
  /** By rate class and client address. */
  addresses: Readonly<Record<string, Limit>>;
  /** Mails to one address, and those of one tenant; more are dropped silently. */
  mails: MailLimit;
  /**
   * Invitations and added users of one tenant, so that it does not fill the mail queue that all
   * tenants share.
   */
  tenant: Limit;
  /** Mails to one user about being added to one tenant; more are dropped silently. */
  offers: Limit;
};

const oneADay: Limit = { count: 1, seconds: 24 * 60 * 60 };
const perHour = (count: number): Limit => ({ count, seconds: 3600 });

export const invitationLimits: Record<LimitProfile, InvitationLimits> = {
  standard: {
    addresses: { token: perMinute(120), branding: perMinute(300) },
    mails: mailLimits.standard,
    tenant: perHour(500),
    offers: oneADay,
  },
  strict: {
    addresses: { token: perMinute(60), branding: perMinute(60) },
    mails: mailLimits.strict,
    tenant: perHour(100),
    offers: oneADay,
  },
  off: { addresses: {}, mails: mailLimits.off, tenant: unlimited, offers: unlimited },
};
