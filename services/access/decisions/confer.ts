import { assertRecentLogin, type Caller } from '@bailiwick/shared/caller.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import { type EntityManager, inTransaction, type Run } from '@bailiwick/shared/orm.ts';
import { ownerRole } from '../roles/builtin.ts';
import { findRolePermissions } from '../roles/queries.ts';
import { holdsOnPlatform, mayConfer, permissionsOfRoles, rightsOf } from './rights.ts';

// Nobody confers a permission they lack, on any path that confers rights.

/** Throws permission_denied unless the caller itself may give, in the whole tenant, all that the roles give. Reads the caller's rights anew. */
export async function assertMayConfer(
  em: EntityManager,
  caller: Caller,
  tenant: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(ownerRole)) assertRecentLogin(caller);
  const lacking = await findLacking(inTransaction(em), caller, tenant, { roles });
  if (lacking !== undefined) throw escalation(lacking);
}

/** Throws permission_denied unless the caller may put these permissions into a role. */
export async function assertMayConferPermissions(
  em: EntityManager,
  caller: Caller,
  tenant: string,
  wanted: readonly string[],
): Promise<void> {
  const lacking = await lackingTo(inTransaction(em), caller, tenant, wanted);
  if (lacking !== undefined) throw escalation(lacking);
}

/** Throws permission_denied unless the caller holds what somebody with these roles holds: only an owner changes an owner. */
export async function assertMayTouch(
  em: EntityManager,
  caller: Caller,
  tenant: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(ownerRole)) assertRecentLogin(caller);
  const lacking = await lackingTo(
    inTransaction(em),
    caller,
    tenant,
    permissionsOfRoles(roles, tenant === '' ? 'platform' : 'tenant'),
  );
  if (lacking !== undefined)
    throw denied(
      `this concerns somebody who holds ${lacking}, which the caller does not hold`,
      'ESCALATION',
    );
}

/** Who is asked about: a caller, or somebody whose call was long ago. */
type Giver = Pick<Caller, 'type' | 'id' | 'tenant' | 'narrowedTo' | 'ssoTenant' | 'limitedTo'>;
type Wanted = { roles: readonly string[]; permissions?: readonly string[] };

/** A permission that somebody may not give in a tenant of all that roles give and of these; undefined = they may give all. */
export async function findLacking(
  run: Run,
  giver: Giver,
  tenant: string,
  { roles, permissions = [] }: Wanted,
): Promise<string | undefined> {
  return lackingTo(run, giver, tenant, [
    ...permissions,
    ...(await permissionsGivenBy(run, tenant, roles)),
  ]);
}

const escalation = (lacking: string) =>
  denied(`this would confer ${lacking}, which the caller does not hold`, 'ESCALATION');

/** What roles give in a tenant, or on the platform where that is "". */
async function permissionsGivenBy(
  run: Run,
  tenant: string,
  roles: readonly string[],
): Promise<string[]> {
  if (tenant === '') return permissionsOfRoles(roles, 'platform');
  return [
    ...permissionsOfRoles(roles, 'tenant'),
    ...(await findRolePermissions(run, tenant, roles)),
  ];
}

async function lackingTo(
  run: Run,
  { type, id, tenant: own, narrowedTo, ssoTenant, limitedTo }: Giver,
  tenant: string,
  wanted: readonly string[],
) {
  if (wanted.length === 0) return undefined;
  // A bot has grants in its own tenant only, so that the tenant in question can stand for it.
  const rights = await rightsOf(
    run,
    { type, id, botTenant: tenant || own, narrowedTo, ssoTenant, limitedTo },
    tenant,
  );
  return wanted.find(
    (pattern) => !(tenant === '' ? holdsOnPlatform(rights, pattern) : mayConfer(rights, pattern)),
  );
}
