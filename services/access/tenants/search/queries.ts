import type { PageQuery, Search } from '@bailiwick/pipeline';
import {
  createListing,
  type FoundIds,
  type Reader,
  type Run,
  type Statement,
  tenantKey,
  textKey,
} from '@bailiwick/store';
import { memberTrigrams, type TenantMemberRow } from '../entities.ts';
import { memberColumns, offerColumns, pendingOffer } from '../queries.ts';

// Members are found by keys of their names and addresses, which identity owns. names.ts keeps the
// keys current. A pending user has no keys: the tenant knows its ID only. A user who has left has
// none either.

const offers = `(
  select ${offerColumns}, o.created_at as since, '' as name_key, '' as last_word_key, '' as email_key
  from membership_offer o where o.tenant = $1 and ${pendingOffer}) m`;

const members = `(
  select tenant, user_id, status, source, joined_at as since, name_key, last_word_key, email_key
  from tenant_member) m`;

const statuses = `array[$7::text, case $7::text when 'disabled' then 'barred' end]`;

const visible = `($11::boolean or m.status <> 'barred') and ($12::boolean or m.status <> 'pending')`;

const searched = createListing({
  name: 'access.members_searched',
  sources: [members, offers],
  scope: `m.tenant = $1 and ${visible}`,
  id: 'm.user_id',
  orders: {
    name: { key: `m.name_key collate "C"`, type: 'text' },
    email: { key: `m.email_key collate "C"`, type: 'text' },
    joined: { key: 'm.since', type: 'timestamptz' },
  },
  searched: [`m.name_key collate "C"`, `m.last_word_key collate "C"`, `m.email_key collate "C"`],
  inside: {
    index: memberTrigrams,
    keys: [`m.name_key collate "C"`, `m.email_key collate "C"`],
    scope: `${tenantKey('m.tenant')} = $1 and ${visible}`,
  },
  filters: [
    `($7::text is null or m.status = any (${statuses}))`,
    '($8::text is null or m.source = $8)',
    '($9::timestamptz is null or m.since >= $9)',
    '($10::timestamptz is null or m.since < $10)',
  ],
  selective: [
    {
      name: 'status',
      where: `m.status <> 'active' and m.status = any (${statuses})`,
      isGiven: ([status]) => status !== null && status !== 'active',
    },
    { name: 'source', where: 'm.source = $8::text', isGiven: ([, source]) => source !== null },
    {
      name: 'period',
      where: `m.since >= coalesce($9::timestamptz, '-infinity') and m.since < coalesce($10::timestamptz, 'infinity')`,
      isGiven: ([, , from, to]) => from !== null || to !== null,
    },
  ],
});

/** Which rows a list shows: those of users who left while disabled, and those of pending users. */
type Visibility = { withBarred: boolean; withPending: boolean };

/** The ids of a page of a tenant's members. */
export const searchMembers = (
  reader: Reader,
  tenant: string,
  { status, source, from, to, withBarred, withPending, ...search }: Search & Visibility,
  page: PageQuery,
): Promise<FoundIds> =>
  searched.find(reader.query, {
    ...search,
    ...page,
    tenant,
    values: [status, source, from, to],
    fixed: [withBarred, withPending],
  });

// One look for each member: with all ids at once the planner may read an index of the whole tenant.
const byIds: Statement<TenantMemberRow, [tenant: string, ids: readonly string[]]> = {
  name: 'access.members_by_ids',
  text: `select ${memberColumns} from (
           select m.* from unnest($2::text[]) as given (id) cross join lateral (
             select tenant, user_id, status, source, joined_at from tenant_member where tenant = $1 and user_id = given.id limit 1) m
           union all
           select ${offerColumns} from membership_offer o where o.tenant = $1 and o.user_id = any ($2) and ${pendingOffer}
         ) m`,
};

/** The members and pending offers of a tenant among `ids`. */
export const findMembers = (
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<TenantMemberRow[]> => reader.query(byIds, [tenant, ids]);

// Reports may arrive twice and in any order: an older one is ignored. The order of the rows is that
// of their locks.
const describe: Statement<
  never,
  [userIds: string[], names: string[], emails: string[], times: Date[]]
> = {
  name: 'access.describe_members',
  text: `with given as (
           select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as g (user_id, name, email, at)
         ), locked as (
           select m.tenant, g.* from given g join tenant_member m on m.user_id = g.user_id
           where m.status <> 'barred' and (m.described_at is null or m.described_at < g.at)
           order by m.user_id, m.tenant for update of m
         )
         update tenant_member m
         set name_key = ${textKey('l.name')}, last_word_key = ${textKey(`split_part(l.name, ' ', -1)`)},
             email_key = ${textKey('l.email')}, described_at = l.at
         from locked l where m.tenant = l.tenant and m.user_id = l.user_id`,
  across: "stores the users' names and addresses in all their memberships",
};

/** A user, as identity reports it. `at`: the time of the user's last change. */
export type Description = { userId: string; name: string; email: string; at: Date };

/** Stores the keys of users in all their memberships, unless newer ones are stored. */
export async function describeMembers(
  run: Run,
  descriptions: readonly Description[],
): Promise<void> {
  await run(describe, [
    descriptions.map(({ userId }) => userId),
    descriptions.map(({ name }) => name),
    descriptions.map(({ email }) => email),
    descriptions.map(({ at }) => at),
  ]);
}

const undescribed: Statement<{ user_id: string }, [limit: number]> = {
  name: 'access.undescribed_members',
  text: `select distinct m.user_id from (
           select user_id from tenant_member where described_at is null and status <> 'barred' limit $1) m`,
  across: 'the sweeper covers all tenants',
};

/** Users with memberships that have no keys yet. */
export async function findUndescribed(run: Run, limit: number): Promise<string[]> {
  const rows = await run(undescribed, [limit]);
  return rows.map((row) => row.user_id);
}
