import { type Run, type Statement } from '@bailiwick/database';
import { type Call } from '@bailiwick/rpc';
import { type Email } from '@bailiwick/values';
import { findSubjectGrants, owns } from '../decisions/context.ts';
import { findLacking } from '../decisions/delegation.ts';
import { findUserByEmail } from '../directory.ts';
import { scimSource } from '../groups/entities.ts';
import { memberRole } from '../permissions/builtin.ts';
import { isKnownElsewhere } from '../tenants/queries.ts';
import { assertMayEnd } from '../tenants/status.ts';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { profileOf } from './people.ts';
import { mutability } from './protocol/problems.ts';
import type { Resource } from './protocol/resource.ts';
import type { PersonRow } from './queries.ts';
import type { Account } from './settle.ts';

// The accounts of people at identity, and what a directory may do with them.

export type Described = { resource: Resource; email: Email };

/** `isActive`: undefined = the directory has not said, and the status stays. */
export type Wanted = Described & { isActive: boolean | undefined };

/** Asks identity for the account of a person, which it creates for active ones in the domains. */
export async function findAccount(
  { directory }: ScimDeps,
  tenant: string,
  { resource, email, isActive }: Wanted,
  call: ScimRequest['call'],
): Promise<Account> {
  const profile = profileOf(resource, email);
  if (isActive)
    return directory.provisionUser(
      { tenant, profile, actor: call.caller },
      { signal: call.signal },
    );
  // An inactive person may be a member already, whom the directory now disables.
  const user = await findUserByEmail(directory, email.address, call);
  return { vouched: false, ...(user && { user }) };
}

// The default role in the whole tenant does not count: each member that the directory makes has it.
const rolesByHand: Statement = {
  name: 'access.scim_roles_by_hand',
  text: `select g.role from grant_entry g
    where g.tenant = $1 and g.subject_type = 'user' and g.subject = $2
      and (g.expires_at is null or g.expires_at > now())
      and not (g.resource = '' and g.role = coalesce(nullif((select t.settings->>'defaultRole' from tenant t where t.id = $1), ''), '${memberRole}'))
    union
    select g.role from group_member m
    join group_entry e on e.tenant = m.tenant and e.id = m.group_id and e.source <> '${scimSource}'
    join grant_entry g on g.tenant = m.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
      and (g.expires_at is null or g.expires_at > now())
    where m.tenant = $1 and m.user_id = $2`,
};

/** The roles of a member that neither the directory nor the default of the tenant has given. */
async function findRolesByHand(run: Run, tenant: string, userId: string): Promise<string[]> {
  return (await run<{ role: string }>(rolesByHand, [tenant, userId])).map(({ role }) => role);
}

/**
 * Throws for an account whose address is not the directory's to change. A person who receives the
 * mail of an account can sign in to it: the directory would gain the rights of an owner or of an
 * administrator, and with the address of a member of other tenants or of an operator, rights
 * elsewhere.
 */
export async function assertMayMove(
  run: Run,
  { caller }: Call,
  tenant: string,
  userId: string,
): Promise<void> {
  if (owns(await findSubjectGrants(run, { subject: userId, tenant, resources: [''] })))
    throw mutability('the address of an owner is changed by the owner only');
  if (await isKnownElsewhere(run, userId, tenant))
    throw mutability('the address of a member of other tenants is changed by the member only');
  const roles = await findRolesByHand(run, tenant, userId);
  if ((await findLacking(run, caller, tenant, { roles })) !== undefined)
    throw mutability(
      'the address of a member with roles that the directory may not grant is changed by the member only',
    );
}

/** Throws for a member whom the directory must not disable, before identity changes the account. */
export async function assertMayDisable(
  { database }: ScimDeps,
  { tenant, userId, memberStatus }: PersonRow,
  call: ScimRequest['call'],
): Promise<void> {
  if (memberStatus === 'disabled') return;
  await database.transaction({ tenant, row: `tenant ${tenant}` }, (em) =>
    assertMayEnd(em, call, { tenant, userId, what: 'disabled' }),
  );
}
