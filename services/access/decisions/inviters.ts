import { failedPrecondition } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { type Database, onPool } from '@bailiwick/store';
import { type Directory, findBotTenant } from '../directory.ts';
import { isActiveTenant } from './queries.ts';

export type InviterDeps = { database: Database; directory: Directory };

/** Who made an invitation or an offer in a tenant. */
type Inviter = { type: string; id: string; tenant: string };

/**
 * Throws failed_precondition if the inviter is a bot of another tenant that is not active, or
 * deleted: such a bot has no rights anywhere. Calls identity, so not within a transaction.
 */
export async function assertInviterIsActive(
  { database, directory }: InviterDeps,
  { type, id, tenant }: Inviter,
  message: string,
  call: Call,
): Promise<void> {
  if (type !== 'bot') return;
  const own = await findBotTenant(directory, id, call);
  const isActive =
    own === tenant || (own !== undefined && (await isActiveTenant(onPool(database), own)));
  if (!isActive) throw inviterLacksRights(message);
}

/** For an invitation or an offer whose inviter may no longer make it. */
export const inviterLacksRights = (message: string) =>
  failedPrecondition(message, 'INVITER_LACKS_RIGHTS');
