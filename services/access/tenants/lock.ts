import { denied } from '@bailiwick/errors';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { TenantEntity } from './entities.ts';

/**
 * Serialises changes of a tenant's members and owners: the check for the last owner reads all of
 * them. For a tenant suspended since the call was authorised, throws the error of a missing tenant,
 * unless `orSuspended`.
 */
export async function lockTenant(tx: Transaction, id: string, orSuspended = false) {
  const tenant = await tx.em.findOne(
    TenantEntity,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!tenant || !(tenant.status === 'active' || (orSuspended && tenant.status === 'suspended')))
    throw denied();
  return tenant;
}
