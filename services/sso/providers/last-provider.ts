import type { Origin } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Transaction } from '@bailiwick/store';
import { lockProviders } from '../requirement/lock.ts';
import type { ProviderDeps } from './deps.ts';
import { ProviderEntity } from './entities.ts';
import { findRequiringDomain } from './queries.ts';

/**
 * Whether a tenant's settings require SSO. The platform requires none. Call it before a transaction,
 * so that no connection waits for access.
 */
export const requiresSso = async (
  { admission }: Pick<ProviderDeps, 'admission'>,
  tenant: string,
  call: Origin,
): Promise<boolean> => tenant !== '' && (await admission.isOpen({ tenant }, call)).requiresSso;

/**
 * Throws failed_precondition if the provider is the last active one of a tenant that requires SSO,
 * by its settings or by a domain.
 */
export async function assertNotLastProvider(
  tx: Transaction,
  { tenant, id }: { tenant: string; id: string },
  isRequired: boolean,
): Promise<void> {
  await lockProviders(tx, tenant);
  if ((await tx.em.count(ProviderEntity, { tenant, active: true, id: { $ne: id } })) > 0) return;
  if (isRequired)
    throw failedPrecondition(
      'the tenant requires single sign-on, and this is the last active provider: change its settings first',
      'LAST_PROVIDER',
    );
  const domain = await findRequiringDomain(tx, tenant);
  if (domain !== undefined)
    throw failedPrecondition(
      `${domain} requires single sign-on, and this is the last active provider: change the domain first`,
      'LAST_PROVIDER',
      { Domain: domain },
    );
}
