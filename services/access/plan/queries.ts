import type { Run, Statement, Transaction } from '@bailiwick/store';
import type { SubjectGrantRow } from '../decisions/subjects/queries.ts';

/** Sets the longest time that this transaction waits for a lock, in milliseconds. */
export async function waitForLocks(tx: Transaction, ms: number): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [`${ms}ms`]);
}

// The permissions of a tenant's own role (r) come with its first row only, as in decisions.
const roleHoldings: Statement<RoleHolding, [tenant: string, limit: number]> = {
  name: 'access.role_holdings',
  text: `
  with alive as (select * from grant_entry g where g.tenant in ($1, '') and (g.expires_at is null or g.expires_at > now())),
  held as (
    select g.subject, g.resource, g.role, g.tenant = '' as platform from alive g
    where g.subject_type = 'bot' or exists (select 1 from tenant_member m where m.tenant = $1 and m.user_id = g.subject and m.status = 'active')
    union
    select m.user_id, g.resource, g.role, false
    from group_member m
    join tenant_member t on t.tenant = m.tenant and t.user_id = m.user_id and t.status = 'active'
    join group_entry e on e.tenant = m.tenant and e.id = m.group_id
    join alive g on g.tenant = m.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
    where m.tenant = $1
  )
  select h.subject, h.resource, h.role, h.platform, case when row_number() over (partition by r.slug order by h.subject, h.resource) = 1 then r.permissions end as gives
  from held h left join role_entry r on r.tenant = $1 and r.slug = h.role and not h.platform
  where not exists (select 1 from subject_state s where s.subject = h.subject and s.state in ('disabled', 'deleted'))
  order by h.subject, h.resource, h.platform, h.role limit $2`,
};

export type RoleHolding = Pick<SubjectGrantRow, 'role' | 'resource' | 'platform' | 'gives'> & {
  subject: string;
};

/** The effective roles of a tenant's users and bots, by grants there and on the platform. */
export function findRoleHoldings(run: Run, tenant: string, limit: number): Promise<RoleHolding[]> {
  return run(roleHoldings, [tenant, limit]);
}
