import {
  type Limit,
  type LimitProfile,
  type MailLimit,
  mailLimits,
  perMinute,
  unlimited,
} from '@bailiwick/contract';

// Limits of identity's public operations, and of rows per tenant.

export const botsPerTenant = 1000;
/** Counts valid keys only: a key that is rotated every day leaves hundreds of expired ones. */
export const keysPerBot = 100;
export const trustsPerBot = 20;
export const passkeysPerUser = 20;
/** Authenticator apps. */
export const totpsPerUser = 5;

export type AccountLimits = {
  /** By rate class and client address. */
  addresses: Readonly<Record<string, Limit>>;
  /** Sign-ins to one account from a known network, or from all others together. */
  account: Limit;
  /** Sign-ins with a password of one client address that a process has not answered yet. */
  signInsAtOnce: number;
  /** Mails to one address; more are dropped silently. */
  mails: MailLimit;
};

export const accountLimits: Record<LimitProfile, AccountLimits> = {
  standard: {
    addresses: {
      login: perMinute(120),
      // The sign-in page asks for options whenever it is opened.
      passkey: perMinute(300),
      register: perMinute(60),
      mail: perMinute(60),
      token: perMinute(120),
    },
    account: perMinute(20),
    signInsAtOnce: 20,
    mails: mailLimits.standard,
  },
  strict: {
    addresses: {
      login: perMinute(10),
      passkey: perMinute(60),
      register: { count: 5, seconds: 3600 },
      mail: perMinute(10),
      token: perMinute(60),
    },
    account: perMinute(20),
    signInsAtOnce: 10,
    mails: mailLimits.strict,
  },
  off: {
    addresses: {},
    account: unlimited,
    signInsAtOnce: Number.POSITIVE_INFINITY,
    mails: mailLimits.off,
  },
};
