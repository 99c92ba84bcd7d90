import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { ProviderEntity } from './entities.ts';
import { findRequiringDomain } from './queries.ts';

/** Throws failed_precondition where a provider is the last active one of a tenant whose domain lets its people in by nothing else. */
export async function assertSpared(em: EntityManager, { tenant, id }: { tenant: string; id: string }): Promise<void> {
  // Of the last two that go at once each would count on the other.
  await lockName(em, `sso_provider ${tenant}`);
  if ((await em.count(ProviderEntity, { tenant, active: true, id: { $ne: id } })) > 0) return;
  const domain = await findRequiringDomain(em, tenant);
  if (domain !== undefined)
    throw failedPrecondition(`${domain} requires single sign-on, and this is the last active provider: change the domain first`, 'LAST_PROVIDER');
}
