import type { Origin } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Database, Transaction } from '@bailiwick/store';
import { rowOf } from '../rows.ts';
import { lockSubject, markLeaving } from '../subjects/state.ts';
import { countOtherOwners } from '../tenants/owners/queries.ts';
import { lockOwnedTenants, type OwnedTenant } from './queries.ts';

/**
 * Prepares the deletion of a user. Throws failed_precondition while the user is the only owner of
 * an active tenant.
 */
export function leave(database: Database, call: Origin, userId: string): Promise<void> {
  return database.transaction({ call, tenant: null, row: rowOf.subject(userId) }, async (tx) => {
    await lockSubject(tx, userId);
    const ownerless = await tenantsWithoutOwner(tx, userId);
    if (ownerless.length > 0) {
      const names = ownerless.map(({ id, name }) => `${name} (${id})`).join(', ');
      throw failedPrecondition(`the user is the only owner of ${names}`, 'LAST_OWNER', {
        Tenants: names,
      });
    }
    // If two owners are deleted at once, the second waits for the first and sees that it is
    // leaving.
    await markLeaving(tx, userId);
  });
}

/**
 * The active tenants that would be left without an owner. Suspended ones do not count: their owner
 * could neither hand them over nor delete them.
 */
async function tenantsWithoutOwner(tx: Transaction, userId: string): Promise<OwnedTenant[]> {
  const run = tx.query;
  const ownerless: OwnedTenant[] = [];
  for (const tenant of await lockOwnedTenants(run, userId)) {
    if (tenant.status === 'active' && (await countOtherOwners(run, tenant.id, userId)) === 0)
      ownerless.push(tenant);
  }
  return ownerless;
}
