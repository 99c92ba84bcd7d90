import { type EntityManager, lockName } from '@bailiwick/store';

/**
 * Serialises decisions that depend on a tenant's providers: two concurrent deletes of the last two
 * providers would each rely on the other one.
 */
export const lockProviders = (em: EntityManager, tenant: string): Promise<void> =>
  lockName(em, `sso_provider ${tenant}`);
