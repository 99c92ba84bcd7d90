import { type Database, type Run, type Statement } from '@bailiwick/shared/orm.ts';

// Who is the last owner depends on all owners: the rows stay locked until the transaction ends, taken in one order by everybody.
const lockOwned: Statement = {
  name: 'access.lock_owned_tenants',
  text: `select t.id, t.name, t.status from tenant t
         where t.status <> 'deleting' and exists (
           select 1 from grant_entry g where g.tenant = t.id and g.subject_type = 'user' and g.subject = $1 and g.role = 'owner' and g.resource = '')
         order by t.id for update of t`,
};

export type OwnedTenant = { id: string; name: string; status: string };

/** The tenants that a user owns, none of whose members and owners change before the transaction ends. */
export function lockOwnedTenants(run: Run, userId: string): Promise<OwnedTenant[]> {
  return run<OwnedTenant>(lockOwned, [userId]);
}

const traces: Statement = {
  name: 'access.traces_of_subject',
  text: `select m.tenant from tenant_member m where m.user_id = $1
         union select o.tenant from membership_offer o where o.user_id = $1
         union select m.tenant from group_member m where m.user_id = $1
         union select g.tenant from grant_entry g where g.subject = $1 and g.subject_type <> 'group'
         order by tenant`,
};

/** The tenants in which a user or bot is a member or was granted something; "" = the platform. */
export async function findTraces(database: Database, subject: string): Promise<string[]> {
  const rows = await database.query<{ tenant: string }>(traces, [subject]);
  return rows.map(({ tenant }) => tenant);
}

const unfinished: Statement = {
  name: 'access.unfinished_removals',
  text: `select s.subject from subject_state s where s.state = 'deleted' and s.since < now() - interval '5 seconds' and (
           exists (select 1 from tenant_member m where m.user_id = s.subject)
           or exists (select 1 from membership_offer o where o.user_id = s.subject)
           or exists (select 1 from grant_entry g where g.subject = s.subject and g.subject_type <> 'group'))
         limit 100`,
};

/** Users and bots that are deleted and of whom something is left. The event of the deletion comes first: it knows who deleted them. */
export async function findUnfinished(database: Database): Promise<string[]> {
  const rows = await database.query<{ subject: string }>(unfinished, []);
  return rows.map(({ subject }) => subject);
}

const knownElsewhere: Statement = {
  name: 'access.known_elsewhere',
  text: `select exists (select from tenant_member m where m.user_id = $1 and m.tenant <> $2)
           or exists (select from grant_entry g where g.tenant = '' and g.subject_type = 'user' and g.subject = $1) as known`,
};

/** Whether a user has a membership outside a tenant, or a grant on the platform. States do not count: a suspended tenant opens again. */
export async function isKnownElsewhere(run: Run, userId: string, tenant: string): Promise<boolean> {
  const [row] = await run<{ known: boolean }>(knownElsewhere, [userId, tenant]);
  return row?.known ?? true;
}
