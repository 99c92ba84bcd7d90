import { type Loaded, leaseMs, type RightsCache, type RightsKey } from '@bailiwick/broker';
import {
  common,
  lastsOf,
  type Origin,
  sessionCheckOf,
  sessionProof,
  sessionTimes,
} from '@bailiwick/contract';
import type {
  Authority,
  EffectiveResponse as Effective,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { keysOf, type Member, type Person, type TenantOption } from './request.ts';

// The tenant that a sign-in is for, and what its tokens say about the person there. The answers of
// access are cached like the rights of a gateway.

export type TenantDeps = {
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants' | 'describeMember'>;
  rightsCache: Pick<RightsCache, 'getOrLoad'>;
};

/** `effective`: the rights with the requirements of the tenant. */
type Description = Member & { effective?: Omit<Effective, 'unchangedFor'> };

/** More names than this would make a token too large for a header. */
const maxNames = { permissions: 100, groups: 200 };

/** A list for a token; a long one is left out, and the token says so. */
const listClaim = (
  name: keyof typeof maxNames,
  values: readonly string[],
): Record<string, readonly string[] | true> =>
  values.length <= maxNames[name] ? { [name]: values } : { [`${name}_omitted`]: true };

export type Tenants = ReturnType<typeof createTenants>;

export function createTenants({ authority, rightsCache }: TenantDeps) {
  return {
    /** The tenants of a person that the session may use. */
    async ofPerson({ id, limitedTo }: Person, call: Origin): Promise<readonly TenantOption[]> {
      const tenants = await rightsCache.getOrLoad(`tenants ${id}`, () =>
        loadTenants(authority, id, call),
      );
      return tenants.filter((tenant) => limitedTo === '' || tenant.id === limitedTo);
    },

    /** The person's roles, groups and permissions in a tenant, and its requirements. */
    describe: (person: Person, tenant: string, call: Origin): Promise<Description> =>
      rightsCache.getOrLoad(
        `member ${person.credentialId} ${tenant} ${Object.values(sessionProof(person)).join(' ')}`,
        () => loadMember(authority, person, tenant, call),
      ),
  };
}

async function loadTenants(
  authority: TenantDeps['authority'],
  userId: string,
  call: Origin,
): Promise<Loaded<readonly TenantOption[]>> {
  const { tenants, cacheKeys } = await authority.listUserTenants(
    { userId, withSuspended: true },
    call,
  );
  return {
    value: tenants.map(({ id, slug, name }) => ({ id, slug, name })),
    keys: cacheKeys as RightsKey[],
    bytes: 1024 + 256 * cacheKeys.length,
    // Access of the previous version names no keys.
    lastsMs: cacheKeys.length === 0 ? 0 : Number.POSITIVE_INFINITY,
  };
}

/**
 * Access of the previous version returns neither the requirements nor the slug. Its answer is not
 * cached.
 */
async function loadMember(
  authority: TenantDeps['authority'],
  person: Person,
  tenant: string,
  call: Origin,
): Promise<Loaded<Description>> {
  const { id: userId } = person;
  const session = sessionTimes(person);
  const request = { userId, tenant, ...sessionProof(person), ...(session && { session }) };
  const { effective: answer, ...member } = await authority.describeMember(request, call);
  if (!answer) {
    const { tenants } = await authority.listUserTenants({ userId }, call);
    const slug = tenants.find(({ id }) => id === tenant)?.slug ?? '';
    return { value: { ...member, id: tenant, slug }, keys: [], lastsMs: 0 };
  }
  const { unchangedFor, ...effective } = answer;
  const { endsAt } = sessionCheckOf(effective, session);
  const sessionMs = endsAt ? timestampMs(endsAt) - Date.now() : Number.POSITIVE_INFINITY;
  return {
    value: { ...member, id: tenant, effective },
    keys: [...keysOf(person), `tenant:${tenant}`, ...(effective.cacheKeys as RightsKey[])],
    lastsMs: Math.min(sessionMs, lastsOf({ unchangedFor }, leaseMs)),
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
