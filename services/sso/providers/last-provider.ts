import { type EntityManager } from '@bailiwick/database';
import { failedPrecondition } from '@bailiwick/errors';
import { lockProviders } from '../requirement/lock.ts';
import { ProviderEntity } from './entities.ts';
import { findRequiringDomain } from './queries.ts';

/**
 * Throws failed_precondition if the provider is the last active one of a tenant that requires SSO,
 * by its settings or by a domain.
 */
export async function assertNotLastProvider(
  em: EntityManager,
  { tenant, id }: { tenant: string; id: string },
  requiresSso: boolean,
): Promise<void> {
  await lockProviders(em, tenant);
  if ((await em.count(ProviderEntity, { tenant, active: true, id: { $ne: id } })) > 0) return;
  if (requiresSso)
    throw failedPrecondition(
      'the tenant requires single sign-on, and this is the last active provider: change its settings first',
      'LAST_PROVIDER',
    );
  const domain = await findRequiringDomain(em, tenant);
  if (domain !== undefined)
    throw failedPrecondition(
      `${domain} requires single sign-on, and this is the last active provider: change the domain first`,
      'LAST_PROVIDER',
    );
}
