import { createHash } from 'node:crypto';

// A provider proves an address, and domains change owners. So a link that is based on the address
// alone opens sessions with rights in the provider's tenant only, without anything that other
// tenants gave the account.

/**
 * The trust in a link. `address`: the account was known elsewhere or had a credential, and only the
 * address led to it. `domain`: no other tenant and no credential knew the account, so it belongs to
 * the tenant while the tenant has the domain. `confirmed`: the user has confirmed the link with an
 * older credential, or the platform has.
 */
export type Trust = 'address' | 'domain' | 'confirmed';

export type LinkTrust = {
  trust: Trust;
  /** Whether the account's domain was no longer verified by the tenant at the last sign-in. */
  lapsed: boolean;
};

/**
 * Whether the sessions of a link are limited to its tenant. `limitedTo` in sessions/live/queries.ts is
 * the same in SQL.
 */
export const isLimited = ({ trust, lapsed }: LinkTrust): boolean =>
  trust === 'address' || (trust === 'domain' && lapsed);

/** A mark that identifies a password in a link without storing the password there. */
export const markOf = (passwordHash: string | null | undefined): string | null =>
  passwordHash ? createHash('sha256').update(passwordHash).digest('hex') : null;
