import type { SessionProof } from '@bailiwick/contract';
import type { PageQuery, Search } from '@bailiwick/pipeline';
import {
  createListing,
  type Database,
  type FoundIds,
  type Reader,
  type Run,
  type Statement,
  textKey,
} from '@bailiwick/store';
import { demandsMore, type ProofValues, proofValues } from '../decisions/session.ts';
import {
  type MembershipRow,
  type TenantMemberRow,
  type TenantRow,
  tenantTrigrams,
} from './entities.ts';

const tenantColumns =
  't.id, t.slug, t.name, t.status, t.settings, t.branding, t.metadata, t.created_at as "createdAt", t.updated_at as "updatedAt"';
export const memberColumns = 'tenant, user_id as "userId", status, source, joined_at as "joinedAt"';

const oneTenant: Statement<TenantRow, [id: string]> = {
  name: 'access.tenant',
  text: `select ${tenantColumns} from tenant t where t.id = $1`,
};

export async function findTenant(database: Database, id: string): Promise<TenantRow | undefined> {
  const rows = await database.query(oneTenant, [id]);
  return rows[0];
}

const allTenants: Statement<TenantRow, [after: string, limit: number]> = {
  name: 'access.all_tenants',
  text: `select ${tenantColumns} from tenant t where t.id > $1 order by t.id limit $2`,
};

/** A page of all tenants. */
export const listTenants = (reader: Reader, { after, limit }: PageQuery): Promise<TenantRow[]> =>
  reader.query(allTenants, [after, limit]);

const searchedTenants = createListing({
  name: 'access.tenants_searched',
  sources: ['tenant t'],
  scope: `$1::text = ''`,
  id: 't.id',
  orders: {},
  searched: [textKey('t.name'), textKey('t.slug')],
  inside: {
    index: tenantTrigrams,
    keys: [textKey('t.name'), textKey('t.slug')],
    scope: `$1::text = ''`,
  },
  filters: ['($7::text is null or t.status = $7)'],
  selective: [
    {
      name: 'status',
      where: `t.status <> 'active' and t.status = $7::text`,
      isGiven: ([status]) => status !== null && status !== 'active',
    },
  ],
});

/** The ids of a page of the tenants with this beginning of the name or slug, and in this status. */
export const searchTenants = (
  reader: Reader,
  { status, ...search }: Search,
  page: PageQuery,
): Promise<FoundIds> =>
  searchedTenants.find(reader.query, { ...search, ...page, tenant: '', values: [status] });

const tenantsByIds: Statement<TenantRow, [ids: readonly string[]]> = {
  name: 'access.tenants_by_ids',
  text: `select ${tenantColumns} from tenant t where t.id = any ($1)`,
};

export const findTenants = (reader: Reader, ids: readonly string[]): Promise<TenantRow[]> =>
  reader.query(tenantsByIds, [ids]);

const tenantsOfUser: Statement<TenantRow, [userId: string, after: string, limit: number]> = {
  name: 'access.tenants_of_user',
  text: `select ${tenantColumns} from tenant_member m join tenant t on t.id = m.tenant and t.status = 'active'
         where m.user_id = $1 and m.status = 'active' and m.tenant > $2 order by m.tenant limit $3`,
  across: "lists the user's own tenants",
};

/** The active tenants a user is an active member of, in order of id. */
export function tenantsOf(
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
): Promise<TenantRow[]> {
  return database.query(tenantsOfUser, [userId, after, limit]);
}

const ofUserWhere = (
  condition: string,
) => `(select ${tenantColumns} from tenant_member m join tenant t on t.id = m.tenant and ${condition}
         where m.user_id = $1 and m.status = 'active' order by m.tenant limit $2)`;
const tenantsInAnyStatus: Statement<TenantRow, [userId: string, limit: number]> = {
  name: 'access.tenants_of_user_in_any_status',
  text: `${ofUserWhere("t.status = 'active'")} union all ${ofUserWhere("t.status <> 'active'")}`,
  between: "two lists of the user's own tenants, one after the other",
};

/**
 * The tenants a user is an active member of: the active ones, and the suspended and deleted
 * ones, both in order of id. `limit`: the most of either kind.
 */
export function tenantsInAnyStatusOf(
  database: Database,
  userId: string,
  limit: number,
): Promise<TenantRow[]> {
  return database.query(tenantsInAnyStatus, [userId, limit]);
}

/**
 * Pending offers. During an upgrade, the previous version can make a member of a user and leave the
 * offer.
 */
export const pendingOffer = `o.status = 'pending' and not exists (select 1 from tenant_member x where x.tenant = o.tenant and x.user_id = o.user_id)`;
export const offerColumns = `o.tenant, o.user_id, 'pending' as status, 'admin' as source, null::timestamptz as joined_at`;

const membershipsOfUser: Statement<
  MembershipRow,
  [userId: string, after: string, limit: number, limitedTo: string, ...proof: ProofValues]
> = {
  name: 'access.memberships_of_user',
  text: `select ${tenantColumns}, jsonb_build_object('tenant', m.tenant, 'userId', m.user_id, 'status', m.status, 'source', m.source, 'joinedAt', m.joined_at) as membership,
           ${demandsMore('$5', '$6', '$7')} as "heldOff",
           m.status = 'active' and exists (select from grant_entry g where g.tenant = m.tenant and g.subject_type = 'user' and g.subject = $1
             and g.role = 'owner' and g.resource = '' and g.unasked) as "ownershipPending"
         from (
           select tenant, user_id, status, source, joined_at from tenant_member where user_id = $1 and status <> 'barred'
           union all
           select ${offerColumns} from membership_offer o where o.user_id = $1 and ${pendingOffer}
         ) m join tenant t on t.id = m.tenant and t.status = 'active'
         where m.tenant > $2 and ($4 = '' or m.tenant = $4) order by m.tenant limit $3`,
  across: "lists the user's own memberships",
};

/** The active tenants where a user is a member or has an offer, in order of id. */
export function membershipsOf(
  database: Database,
  userId: string,
  { after, limit }: PageQuery,
  { limitedTo, ...proof }: SessionProof,
): Promise<MembershipRow[]> {
  return database.query(membershipsOfUser, [
    userId,
    after,
    limit,
    limitedTo,
    ...proofValues(proof),
  ]);
}

const membershipOrOffer: Statement<MembershipOrOffer, [tenant: string, userId: string]> = {
  name: 'access.tie_of_user',
  text: `select exists (select from tenant_member where tenant = $1 and user_id = $2) as "isMember",
                o.status as offer, o.adder_type as "adderType", o.added_by as "addedBy"
         from (values (1)) one left join membership_offer o on o.tenant = $1 and o.user_id = $2`,
};

type MembershipOrOffer = { isMember: boolean } & (
  | { offer: null }
  | { offer: 'pending' | 'declined'; adderType: string; addedBy: string }
);

/**
 * Whether a user is a member of a tenant, active or disabled, and the status of the membership
 * offer and who made it; null = no offer.
 */
export async function findMembershipOrOffer(
  database: Database,
  tenant: string,
  userId: string,
): Promise<MembershipOrOffer> {
  const [row] = await database.query(membershipOrOffer, [tenant, userId]);
  return row ?? { isMember: false, offer: null };
}

// Each part is cut by itself: sorting both together would read all members for a page.
const membersOfTenant: Statement<
  TenantMemberRow,
  [tenant: string, after: string, limit: number, withBarred: boolean]
> = {
  name: 'access.members_of_tenant',
  text: `select ${memberColumns} from (
           (select tenant, user_id, status, source, joined_at from tenant_member
            where tenant = $1 and user_id > $2 and ($4 or status <> 'barred') order by user_id limit $3)
           union all
           (select ${offerColumns} from membership_offer o
            where o.tenant = $1 and o.user_id > $2 and ${pendingOffer} order by o.user_id limit $3)
         ) m order by user_id limit $3`,
};

/**
 * The members of a tenant and its pending offers, in order of the users' ids. `withBarred` includes
 * users who left while disabled.
 */
export function membersOf(
  reader: Reader,
  tenant: string,
  { after, limit, withBarred }: PageQuery & { withBarred: boolean },
): Promise<TenantMemberRow[]> {
  return reader.query(membersOfTenant, [tenant, after, limit, withBarred]);
}

const tenantsCreatedBy: Statement<{ count: number }, [userId: string]> = {
  name: 'access.tenants_created_by',
  text: `select count(*)::int as count from tenant where created_by = $1 and status <> 'deleting'`,
};

export async function countCreatedBy(run: Run, userId: string): Promise<number> {
  const rows = await run(tenantsCreatedBy, [userId]);
  return rows[0]?.count ?? 0;
}

// The order of the rows is that of their locks.
const addActive: Statement<
  never,
  [tenant: string, userIds: readonly string[], source: string, joinedAt: Date]
> = {
  name: 'access.add_members',
  text: `with accepted as (delete from membership_offer where tenant = $1 and user_id = any ($2))
         insert into tenant_member (tenant, user_id, status, source, joined_at)
         select $1, user_id, 'active', $3, $4 from unnest($2::text[]) as user_id order by user_id`,
};

/** Makes users active members, whose offers end. */
export async function addActiveMembers(
  run: Run,
  { tenant, userIds, source, joinedAt }: NewMembers,
): Promise<void> {
  await run(addActive, [tenant, userIds, source, joinedAt]);
}

type NewMembers = { tenant: string; userIds: readonly string[]; source: string; joinedAt: Date };

const removeGroupMemberships: Statement<never, [tenant: string, userId: string]> = {
  name: 'access.remove_group_memberships',
  text: 'delete from group_member where tenant = $1 and user_id = $2',
};

export async function removeMemberships(run: Run, tenant: string, userId: string): Promise<void> {
  await run(removeGroupMemberships, [tenant, userId]);
}

const knownElsewhere: Statement<{ known: boolean }, [userId: string, tenant: string]> = {
  name: 'access.known_elsewhere',
  text: `select exists (select from tenant_member m where m.user_id = $1 and m.tenant <> $2)
           or exists (select from grant_entry g where g.tenant = '' and g.subject_type = 'user' and g.subject = $1) as known`,
  between: 'the trust of a new link depends on the other tenants of the user',
};

/**
 * Whether a user is a member of another tenant or has a platform grant. Statuses do not matter: a
 * suspended tenant may become active again.
 */
export async function isKnownElsewhere(run: Run, userId: string, tenant: string): Promise<boolean> {
  const [row] = await run(knownElsewhere, [userId, tenant]);
  return row?.known ?? true;
}

const memberIds: Statement<{ user_id: string }, [tenant: string, after: string, limit: number]> = {
  name: 'access.member_ids',
  text: `select user_id from tenant_member where tenant = $1 and user_id > $2 and status <> 'barred' order by user_id limit $3`,
};

export async function findMemberIds(
  run: Run,
  tenant: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await run(memberIds, [tenant, after, limit]);
  return rows.map((row) => row.user_id);
}

const scimParent: Statement<{ source: string; roles: string[] }, [tenant: string, path: string]> = {
  name: 'access.scim_parent',
  text: `select e.source, array(select distinct g.role from grant_entry g
           where g.tenant = e.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
             and (g.expires_at is null or g.expires_at > now())) as roles
         from group_entry e where e.tenant = $1 and e.key = lower(ltrim($2, '/'))`,
};

/** A group that is to be the parent of a directory's groups, with the roles that it gives. */
export async function findParentOfScim(
  run: Run,
  tenant: string,
  path: string,
): Promise<{ source: string; roles: string[] } | undefined> {
  return (await run(scimParent, [tenant, path]))[0];
}
