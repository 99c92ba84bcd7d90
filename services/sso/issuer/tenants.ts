import { common, type Origin, sessionProof, sessionTimes } from '@bailiwick/contract';
import type {
  Authority,
  EffectiveResponse as Effective,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import type { Member, Person, TenantOption } from './request.ts';

// The tenant that a sign-in is for, and what its tokens say about the person there.

export type TenantDeps = {
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants' | 'describeMember'>;
};

/** More names than this would make a token too large for a header. */
const maxNames = { permissions: 100, groups: 200 };

/** A list for a token; a long one is left out, and the token says so. */
const listClaim = (
  name: keyof typeof maxNames,
  values: readonly string[],
): Record<string, readonly string[] | true> =>
  values.length <= maxNames[name] ? { [name]: values } : { [`${name}_omitted`]: true };

export type Tenants = ReturnType<typeof createTenants>;

export function createTenants({ authority }: TenantDeps) {
  return {
    /** The tenants of a person that the session may use. */
    async ofPerson({ id: userId, limitedTo }: Person, call: Origin): Promise<TenantOption[]> {
      const { tenants } = await authority.listUserTenants({ userId }, call);
      return tenants.filter(({ id }) => limitedTo === '' || id === limitedTo);
    },

    /**
     * The person's roles, groups and permissions in a tenant, and its requirements. Access of the
     * previous version returns neither these nor the slug.
     */
    async describe(
      person: Person,
      tenant: string,
      call: Origin,
    ): Promise<Member & { effective?: Effective }> {
      const { id: userId } = person;
      const session = sessionTimes(person);
      const request = { userId, tenant, ...sessionProof(person), ...(session && { session }) };
      const { effective, ...member } = await authority.describeMember(request, call);
      if (effective) return { ...member, id: tenant, effective };
      const { tenants } = await authority.listUserTenants({ userId }, call);
      return { ...member, id: tenant, slug: tenants.find(({ id }) => id === tenant)?.slug ?? '' };
    },
  };
}

/** The claims about a member. `scopes` are the permissions of an access token. */
export const claimsOfMember = (
  { id, slug, roles, groups, permissions }: Member,
  scopes?: readonly string[],
): Record<string, string | true | readonly string[]> => ({
  tenant: id,
  tenant_slug: slug,
  roles,
  ...listClaim('groups', groups),
  ...(scopes && listClaim('permissions', common(permissions, scopes).toSorted())),
});
