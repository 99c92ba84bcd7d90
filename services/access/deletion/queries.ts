import type { Database, Run, Statement, Transaction } from '@bailiwick/store';

// The check for the last owner reads all owners, so the rows stay locked until the transaction
// ends. Every caller locks them in the same order.
const lockOwned: Statement<OwnedTenant, [userId: string]> = {
  name: 'access.lock_owned_tenants',
  text: `select t.id, t.name, t.status from tenant t
         where t.status <> 'deleting' and exists (
           select 1 from grant_entry g where g.tenant = t.id and g.subject_type = 'user' and g.subject = $1 and g.role = 'owner' and g.resource = '' and not g.unasked)
         order by t.id for update of t`,
  across: 'a user can be deleted only if every tenant keeps an owner',
};

export type OwnedTenant = { id: string; name: string; status: string };

/**
 * The tenants whose ownership a user has accepted, locked against changes of members and owners until the transaction
 * ends.
 */
export function lockOwnedTenants(run: Run, userId: string): Promise<OwnedTenant[]> {
  return run(lockOwned, [userId]);
}

const traces: Statement<{ tenant: string }, [subject: string]> = {
  name: 'access.traces_of_subject',
  text: `select m.tenant from tenant_member m where m.user_id = $1
         union select o.tenant from membership_offer o where o.user_id = $1
         union select m.tenant from group_member m where m.user_id = $1
         union select g.tenant from grant_entry g where g.subject = $1 and g.subject_type <> 'group'
         union select s.tenant from scim_user s where s.user_id = $1
         order by tenant`,
  between: 'finds the records of a deleted user or bot in all tenants',
};

/** The tenants where a user or bot is a member or has grants; "" = the platform. */
export async function findTraces(database: Database, subject: string): Promise<string[]> {
  const rows = await database.query(traces, [subject]);
  return rows.map(({ tenant }) => tenant);
}

const unfinished: Statement<{ subject: string }, []> = {
  name: 'access.unfinished_removals',
  text: `select s.subject from subject_state s where s.state = 'deleted' and s.since < now() - interval '5 seconds' and (
           exists (select 1 from tenant_member m where m.user_id = s.subject)
           or exists (select 1 from membership_offer o where o.user_id = s.subject)
           or exists (select 1 from grant_entry g where g.subject = s.subject and g.subject_type <> 'group')
           or exists (select 1 from scim_user u where u.user_id = s.subject))
         limit 100`,
  between: 'finds records of deleted users and bots in all tenants',
};

/**
 * Deleted users and bots with rows left. Excludes recent deletions: their event is handled first,
 * since it names the actor.
 */
export async function findUnfinished(database: Database): Promise<string[]> {
  const rows = await database.query(unfinished, []);
  return rows.map(({ subject }) => subject);
}

const purgeable: Statement<{ id: string }, []> = {
  name: 'access.purgeable_tenants',
  text: `select t.id from tenant t where t.status = 'deleting' and t.purge_at <= now() order by t.purge_at limit 20`,
};

/** Deleted tenants whose grace period has ended. */
export async function findPurgeable(database: Database): Promise<string[]> {
  const rows = await database.query(purgeable, []);
  return rows.map(({ id }) => id);
}

const orphanOffers: Statement<never, []> = {
  name: 'access.delete_orphan_offers',
  text: `delete from membership_offer o where not exists (select from tenant t where t.id = o.tenant)
       or exists (select from tenant_member m where m.tenant = o.tenant and m.user_id = o.user_id and m.status = 'active')`,
  across: 'deletes the offers of deleted tenants',
};
const orphanLogos: Statement<never, []> = {
  name: 'access.delete_orphan_logos',
  text: 'delete from tenant_logo l where not exists (select from tenant t where t.id = l.tenant)',
  across: 'deletes the logos of deleted tenants',
};
const orphanScimUsers: Statement<never, []> = {
  name: 'access.delete_orphan_scim_users',
  text: 'delete from scim_user s where not exists (select from tenant t where t.id = s.tenant)',
  across: 'deletes the directory users of deleted tenants',
};
const orphanScimMembers: Statement<never, []> = {
  name: 'access.delete_orphan_scim_members',
  text: 'delete from scim_member m where not exists (select from tenant t where t.id = m.tenant)',
  across: 'deletes the directory members of deleted tenants',
};

/**
 * Deletes offers, logos and directories of purged tenants, and offers of users who are members.
 * Processes of earlier versions purge tenants and add members without knowing these tables.
 */
export async function deleteOrphans(tx: Transaction): Promise<void> {
  await tx.query(orphanOffers, []);
  await tx.query(orphanLogos, []);
  await tx.query(orphanScimUsers, []);
  await tx.query(orphanScimMembers, []);
}
