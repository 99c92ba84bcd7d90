import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PasswordPolicy as PolicyService } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import { createCache } from '@bailiwick/shared/cache.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { type Client, Code, ConnectError } from '@connectrpc/connect';

/** What is remembered of a domain, and for how long. */
const remembered = { size: 1000, lifetimeMs: 2000 } as const;

/** What a domain wants of its people: single sign-on for a tenant ("" = nothing), lifted for that tenant's owners or not. */
export type Policy = { tenant: string; lifted: boolean };

const none: Policy = { tenant: '', lifted: false };

export type PasswordPolicy = ReturnType<typeof createPasswordPolicy>;

type Deps = {
  sso: Pick<Client<typeof PolicyService>, 'find'>;
  redirects: Pick<Client<typeof Sso>, 'check'>;
  authority: Pick<Client<typeof Authority>, 'listOwners'>;
  admission: Pick<Client<typeof Admission>, 'isOpen'>;
  log: Log;
};

/** Who may sign in with a password. It depends on the domain alone, until a password was right. While sso is away nobody may. */
export function createPasswordPolicy({ sso, redirects, authority, admission, log }: Deps) {
  const policies = createCache<Policy>(remembered);
  /** A tenant that is closed lets nobody in by its single sign-on: its people have other tenants, and their passwords. */
  async function find(domain: string): Promise<Policy> {
    const policy = await sso.find({ domain }).catch(async (error: unknown) => {
      if (!(error instanceof ConnectError && error.code === Code.Unimplemented)) throw error;
      // During an upgrade sso may be of the version that could not yet require anything. Every version answers this, and
      // nobody else does who is at its address by mistake.
      await redirects.check({ email: `nobody@${domain}` });
      log.warn('sso is of a version without password policies: passwords serve everywhere');
      return none;
    });
    if (policy.tenant === '') return none;
    return (await admission.isOpen({ tenant: policy.tenant })).open ? policy : none;
  }
  return {
    /** The policy of a domain; "" = of what is no address. */
    async of(domain: string): Promise<Policy> {
      return domain === '' ? none : policies.get(domain, () => find(domain));
    },
    /** Whether a policy lets this user in, whose password was right. */
    async admits({ tenant, lifted }: Policy, userId: string): Promise<boolean> {
      if (tenant === '') return true;
      return (
        lifted &&
        (await authority.listOwners({ tenant, limit: 1, userId })).userIds.includes(userId)
      );
    },
  };
}

/** One text for known and unknown addresses. */
export const ssoRequired = () => denied('sign in with your organisation', 'SSO_REQUIRED');
