import { denied } from '@bailiwick/shared/errors.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { LockMode } from '@mikro-orm/core';
import { TenantEntity } from './entities.ts';

/**
 * Members and owners of one tenant are changed one after the other: who is the last owner depends on all of them.
 * A tenant that was suspended since the call was allowed refuses it like one that does not exist, unless `orSuspended`.
 */
export async function lockTenant(em: EntityManager, id: string, orSuspended = false) {
  const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!tenant || !(tenant.status === 'active' || (orSuspended && tenant.status === 'suspended')))
    throw denied();
  return tenant;
}
