import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { createCache } from '@bailiwick/shared/cache.ts';
import { type Client, Code, ConnectError } from '@connectrpc/connect';

/** What is remembered of a domain, and for how long: an office signs in at one time. */
const remembered = { size: 1000, lifetimeMs: 2000 } as const;

export type DomainOwners = ReturnType<typeof createDomainOwners>;

/** The tenants that have verified the domains of addresses. */
export function createDomainOwners(sso: Pick<Client<typeof DomainOwner>, 'find'>) {
  const owners = createCache<string>(remembered);
  async function find(domain: string): Promise<string> {
    const { tenant } = await sso.find({ domain }).catch((error: unknown) => {
      // During an upgrade sso may be of the version that is not asked this yet.
      if (error instanceof ConnectError && error.code === Code.Unimplemented) return { tenant: '' };
      throw error;
    });
    return tenant;
  }
  /** "" = nobody has verified it. */
  return { of: (domain: string): Promise<string> => owners.get(domain, () => find(domain)) };
}
