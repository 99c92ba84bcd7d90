import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';

/** What depends on which providers a tenant has is decided one after the other: of the last two that go at once each would count on the other. */
export const lockProviders = (em: EntityManager, tenant: string): Promise<void> =>
  lockName(em, `sso_provider ${tenant}`);
