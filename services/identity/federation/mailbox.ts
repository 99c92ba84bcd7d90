import { timeAfter } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import type { EntityManager } from '@bailiwick/store';
import { findFactors } from '../factors/queries.ts';
import { endSessions } from '../sessions/queries.ts';
import { type UserRow } from '../users/entities.ts';
import { recordUser } from '../users/records.ts';
import { dropPlatformLinks } from './queries.ts';

/**
 * Records that a mail has reached the user of an account that a social sign-in made, or that a
 * tenant's provider vouches for its address. Only now does the user join tenants by the domain of
 * the address. Until now the account may have been that of an earlier holder of the address, so its
 * sessions and links end. An account with factors stays as it is, since only their owner can sign
 * in. Returns whether the mailbox is proven.
 */
export async function proveMailbox(em: EntityManager, call: Call, user: UserRow): Promise<boolean> {
  if (user.mailboxProven) return true;
  if ((await findFactors(em, user.id)).length > 0) return false;
  await dropPlatformLinks(em, user.id);
  await endSessions(em, call, user.id);
  user.mailboxProven = true;
  // An import may have brought an address that was not verified.
  user.emailVerified = true;
  user.updatedAt = timeAfter(user.updatedAt);
  recordUser(em, call, 'user.verified', user);
  return true;
}
