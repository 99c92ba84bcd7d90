import { createHash } from 'node:crypto';

// A provider proves a person's address, and a domain can change hands. So a link that rests on the address alone opens sessions
// that hold rights in the provider's tenant only, and nothing comes along that other tenants gave the account.

/**
 * What vouches for a link. `address`: the account was known elsewhere or had a credential, and the address alone led to it.
 * `domain`: no other tenant and no credential knew the account, so it is the tenant's while the tenant has the domain.
 * `confirmed`: the person has confirmed the link with an older credential, or the platform has.
 */
export type Trust = 'address' | 'domain' | 'confirmed';

export type Vouched = {
  trust: Trust;
  /** Whether the tenant no longer had the account's domain verified at the last sign-in. */
  lapsed: boolean;
};

/** Whether the sessions of a link are limited to its tenant. `limitedTo` in sessions/queries.ts says the same in SQL. */
export const isLimited = ({ trust, lapsed }: Vouched): boolean =>
  trust === 'address' || (trust === 'domain' && lapsed);

/** Recognises a password in a link without storing it there. */
export const markOf = (passwordHash: string | null | undefined): string | null =>
  passwordHash ? createHash('sha256').update(passwordHash).digest('hex') : null;
