import { timeAfter } from '@bailiwick/contract';
import type { Transaction } from '@bailiwick/store';
import { findFactors } from '../factors/queries.ts';
import { endSessions } from '../sessions/queries.ts';
import { type UserRow } from '../users/entities.ts';
import { recordUser } from '../users/records.ts';
import { dropPlatformLinks } from './identities/queries.ts';

/**
 * Records that a mail has reached the user of an account that a social sign-in made, or that a
 * tenant's provider vouches for its address. Only now does the user join tenants by the domain of
 * the address. Until now the account may have been that of an earlier holder of the address, so its
 * sessions and links end. An account with factors stays as it is, since only their owner can sign
 * in. Returns whether the mailbox is proven.
 */
export async function proveMailbox(tx: Transaction, user: UserRow): Promise<boolean> {
  if (user.mailboxProven) return true;
  if ((await findFactors(tx.query, user.id)).length > 0) return false;
  await dropPlatformLinks(tx, user.id);
  await endSessions(tx, user.id);
  user.mailboxProven = true;
  // An import may have brought an address that was not verified.
  user.emailVerified = true;
  user.updatedAt = timeAfter(user.updatedAt);
  recordUser(tx, 'user.verified', user);
  return true;
}
