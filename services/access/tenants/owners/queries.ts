import type { Database, Run, Statement } from '@bailiwick/store';

const otherOwners: Statement<{ count: number }, [tenant: string, userId: string]> = {
  name: 'access.other_owners',
  text: `select count(*)::int as count from grant_entry g
         join tenant_member m on m.tenant = g.tenant and m.user_id = g.subject and m.status = 'active'
         where g.tenant = $1 and g.subject_type = 'user' and g.role = 'owner' and g.resource = '' and g.subject <> $2 and g.expires_at is null and not g.unasked
           and not exists (select 1 from subject_state s where s.subject = g.subject and (s.state in ('disabled', 'deleted') or (s.state = 'leaving' and s.since > now() - interval '1 minute')))`,
};

/**
 * The number of other members with permanent ownership that they have accepted. Ownership through a
 * group does not count: leaving the group would leave no owner.
 */
export async function countOtherOwners(run: Run, tenant: string, userId: string): Promise<number> {
  const rows = await run(otherOwners, [tenant, userId]);
  return rows[0]?.count ?? 0;
}

const permanentOwner: Statement<unknown, [tenant: string, userId: string]> = {
  name: 'access.permanent_owner',
  text: `select 1 as one from grant_entry g
         where g.tenant = $1 and g.subject_type = 'user' and g.subject = $2 and g.role = 'owner' and g.resource = '' and g.expires_at is null and not g.unasked`,
};

/** Whether a user has accepted a direct grant of ownership without expiry, disabled or not. */
export async function ownsPermanently(run: Run, tenant: string, userId: string): Promise<boolean> {
  return (await run(permanentOwner, [tenant, userId])).length > 0;
}

const ownersOf: Statement<
  { name: string; subject: string },
  [tenant: string, userId: string, limit: number]
> = {
  name: 'access.owners',
  text: `select t.name, g.subject from tenant t
         join grant_entry g on g.tenant = t.id and g.subject_type = 'user' and g.role = 'owner' and g.resource = ''
         join tenant_member m on m.tenant = g.tenant and m.user_id = g.subject and m.status = 'active'
         where t.id = $1 and g.tenant = $1 and t.status = 'active' and ($2 = '' or g.subject = $2) and (g.expires_at is null or g.expires_at > now())
           and not exists (select 1 from subject_state s where s.subject = g.subject and s.state in ('disabled', 'deleted'))
         order by g.subject limit $3`,
};

/**
 * The direct owners of an active tenant, or only `userId` if it is one, each with the tenant's
 * name.
 */
export function findOwners(
  database: Database,
  tenant: string,
  userId: string,
  limit: number,
): Promise<Array<{ name: string; subject: string }>> {
  return database.query(ownersOf, [tenant, userId, limit]);
}

const unaskedOwner: Statement<{ unasked: boolean }, [tenant: string, userId: string]> = {
  name: 'access.unasked_owner',
  text: `select exists (select from grant_entry g where g.tenant = $1 and g.subject_type = 'user' and g.subject = $2
           and g.role = 'owner' and g.resource = '' and g.unasked) as unasked`,
};

/** Whether a user was made an owner and has not accepted that. */
export async function isUnaskedOwner(run: Run, tenant: string, userId: string): Promise<boolean> {
  return (await run(unaskedOwner, [tenant, userId]))[0]?.unasked ?? false;
}

const anyOwner: Statement<{ owned: boolean }, [tenant: string]> = {
  name: 'access.any_owner',
  text: `select exists (
           select from tenant_member m where m.tenant = $1 and m.status = 'active'
             and not exists (select from subject_state s where s.subject = m.user_id and s.state in ('disabled', 'deleted'))
             and (m.user_id in (select g.subject from grant_entry g
                 where g.tenant = $1 and g.subject_type = 'user' and g.role = 'owner' and g.resource = '' and (g.expires_at is null or g.expires_at > now()))
               or m.user_id in (select gm.user_id from grant_entry g
                 join group_entry e on e.tenant = g.tenant and g.subject = any (e.ancestor_keys)
                 join group_member gm on gm.tenant = e.tenant and gm.group_id = e.id
                 where g.tenant = $1 and g.subject_type = 'group' and g.role = 'owner' and g.resource = '' and (g.expires_at is null or g.expires_at > now())))
         ) as owned`,
};

/** Whether anyone has the rights of an owner in a tenant. */
export async function hasOwner(run: Run, tenant: string): Promise<boolean> {
  return (await run(anyOwner, [tenant]))[0]?.owned ?? false;
}

const platformOwners: Statement<
  { name: string; subject: string },
  [tenant: string, limit: number]
> = {
  name: 'access.platform_owners',
  text: `select t.name, g.subject from tenant t
         join grant_entry g on g.tenant = '' and g.subject_type = 'user' and g.role = 'platform-owner' and g.resource = ''
         where t.id = $1 and t.status = 'active' and (g.expires_at is null or g.expires_at > now())
           and not exists (select 1 from subject_state s where s.subject = g.subject and s.state in ('disabled', 'deleted'))
         order by g.subject limit $2`,
};

/** The owners of the platform, each with the name of an active tenant. */
export function findPlatformOwners(
  database: Database,
  tenant: string,
  limit: number,
): Promise<Array<{ name: string; subject: string }>> {
  return database.query(platformOwners, [tenant, limit]);
}
