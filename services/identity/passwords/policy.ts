import { createCache } from '@bailiwick/broker';
import { normaliseEmail, type Origin } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PasswordPolicy as PolicyService } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';

const cacheOptions = { size: 1000, lifetimeMs: 2000 } as const;

/**
 * The policy of a domain: the tenant whose SSO is required ("" = none), and whether its owners are
 * exempt for now.
 */
export type Policy = { tenant: string; lifted: boolean };

const none: Policy = { tenant: '', lifted: false };

export type PasswordPolicy = ReturnType<typeof createPasswordPolicy>;

type Deps = {
  sso: Pick<PeerClient<typeof PolicyService>, 'find'>;
  authority: Pick<PeerClient<typeof Authority>, 'listOwners'>;
  admission: Pick<PeerClient<typeof Admission>, 'isOpen'>;
};

/**
 * Decides who may sign in with a password. The decision depends on the domain only, until the
 * password is verified. While sso is down, no password is accepted.
 */
export function createPasswordPolicy({ sso, authority, admission }: Deps) {
  const policies = createCache<Policy>(cacheOptions);
  /**
   * A closed tenant does not enforce its SSO: it cannot sign its users in, and they have other
   * tenants.
   */
  async function find(domain: string, call: Origin): Promise<Policy> {
    const policy = await sso.find({ domain }, call);
    if (policy.tenant === '') return none;
    return (await admission.isOpen({ tenant: policy.tenant }, call)).open ? policy : none;
  }
  const policyOf = async (domain: string, call: Origin): Promise<Policy> =>
    domain === '' ? none : policies.getOrLoad(domain, () => find(domain, call));
  async function admits(
    { tenant, lifted }: Policy,
    userId: string,
    call: Origin,
  ): Promise<boolean> {
    if (tenant === '') return true;
    return (
      lifted &&
      (await authority.listOwners({ tenant, limit: 1, userId }, call)).userIds.includes(userId)
    );
  }
  return {
    /** The policy of a domain; "" = the address is not valid. */
    of: policyOf,
    /** Whether a policy lets this user sign in, after the password was verified. */
    admits,
    /** Whether the policy of a user's domain lets the user sign in without SSO. */
    admitsUser: async (
      { id, email }: { id: string; email: string },
      call: Origin,
    ): Promise<boolean> => admits(await policyOf(normaliseEmail(email).domain, call), id, call),
  };
}

/** For a domain whose users sign in with SSO. The same text for known and unknown addresses. */
export const passwordNotAccepted = () => denied('sign in with your organisation', 'SSO_REQUIRED');
