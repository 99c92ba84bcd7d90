import type { Run, Statement } from '@bailiwick/store';

/** A role in a tenant, or on the platform (""), and the permissions of a tenant's own one. */
export type HeldRole = { tenant: string; role: string; gives: string[] | null };

const heldRoles: Statement<HeldRole, [userId: string]> = {
  name: 'access.held_roles',
  text: `
  select h.tenant, h.role, r.permissions as gives from (
    select g.tenant, g.role from grant_entry g
    where g.subject_type = 'user' and g.subject = $1 and (g.expires_at is null or g.expires_at > now())
    union
    select g.tenant, g.role from group_member gm
    join group_entry e on e.tenant = gm.tenant and e.id = gm.group_id
    join grant_entry g on g.tenant = gm.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
      and (g.expires_at is null or g.expires_at > now())
    where gm.user_id = $1
  ) h left join role_entry r on r.tenant = h.tenant and r.slug = h.role
  order by h.tenant, h.role`,
  across: 'who acts as a user gains what the user holds in all tenants',
};

/**
 * The roles of a user anywhere, on any resource. Memberships and tenants that are not active count
 * too: they may become active again.
 */
export const findHeldRoles = (run: Run, userId: string): Promise<HeldRole[]> =>
  run(heldRoles, [userId]);
