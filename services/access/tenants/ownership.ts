import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Database, Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { GrantEntity } from '../grants/entities.ts';
import { removeGrant } from '../grants/entries.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { rowOf } from '../rows.ts';
import { lockTenant } from './lock.ts';

// Ownership that others give to a member gives its rights at once, and binds the member to nothing
// before the member accepts it.

const findUnasked = (tx: Transaction, userId: string) =>
  tx.em.findOne(
    GrantEntity,
    { subjectType: 'user', subject: userId, role: ownerRole, resource: '', unasked: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** Accepts the caller's ownership. The tenant is locked. */
export async function acceptOwnership(tx: Transaction, call: Call, tenant: string): Promise<void> {
  const userId = call.caller.id;
  const grant = await findUnasked(tx, userId);
  if (!grant) return;
  grant.unasked = false;
  record(tx, {
    tenant,
    type: 'tenant.ownership_accepted',
    data: { Tenant: tenant, UserID: userId },
    targets: [{ Type: 'user', ID: userId, Name: '' }],
  });
}

/** Gives up the ownership that the caller has not accepted. The membership stays. */
export const declineOwnership = (database: Database, tenant: string, call: Call): Promise<void> =>
  database.transaction({ call, tenant, row: rowOf.member(tenant, call.caller.id) }, async (tx) => {
    await lockTenant(tx, tenant, true);
    const subject = call.caller.id;
    if (!(await findUnasked(tx, subject))) return;
    await removeGrant(tx, call, { tenant, subjectType: 'user', subject, role: ownerRole });
  });
