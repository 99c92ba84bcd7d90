import { createCache } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';

/** The cache of domain owners: people of one office sign in at the same time. */
const cacheOptions = { size: 1000, lifetimeMs: 2000 } as const;

const byService = serviceOrigin('notifications');

export type DomainOwners = ReturnType<typeof createDomainOwners>;

/** The tenants that have verified the domains of addresses. */
export function createDomainOwners(sso: Pick<PeerClient<typeof DomainOwner>, 'find'>) {
  const owners = createCache<string>(cacheOptions);
  async function find(domain: string): Promise<string> {
    const { tenant } = await sso.find({ domain }, byService);
    return tenant;
  }
  /** "" = no tenant has verified the domain. */
  return {
    of: (domain: string): Promise<string> => owners.getOrLoad(domain, () => find(domain)),
  };
}
