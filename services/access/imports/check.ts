import type { Caller } from '@bailiwick/contract';
import { denied, escalation, notFound, ServiceError } from '@bailiwick/errors';
import type { NewMembership } from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import { type Database, onPool } from '@bailiwick/store';
import { assertMayMakeOwners, findLacking } from '../decisions/delegation.ts';
import { assertNotScim } from '../groups/managed.ts';
import { pathKey } from '../groups/path.ts';
import { findGroup, findGroupRoles } from '../groups/queries.ts';
import { isTenantRole, memberRole, ownerRole } from '../permissions/builtin.ts';
import { findRole } from '../roles/queries.ts';
import { findTenant } from '../tenants/queries.ts';

export type Refusal = Pick<ServiceError, 'code' | 'reason' | 'message'> & {
  params: Record<string, string>;
};

/** The common part of memberships that are checked together. */
type Kind = Pick<NewMembership, 'tenant' | 'roles' | 'groups'>;

/**
 * Returns a check of memberships: the tenant, roles and groups exist, and the importer may add
 * members and has every permission that the roles and groups give. Many users have equal
 * memberships, so each kind is checked once.
 */
export function createCheck(database: Database, importer: Caller) {
  const cache = new Map<string, Promise<Refusal | undefined>>();
  return ({ tenant, roles, groups }: NewMembership): Promise<Refusal | undefined> => {
    const kind = JSON.stringify([tenant, roles, groups]);
    const checked =
      cache.get(kind) ??
      refusalOf(() => assertMayAdd(database, importer, { tenant, roles, groups }));
    cache.set(kind, checked);
    return checked;
  };
}

const isTransient = ({ code }: ServiceError): boolean =>
  code === 'unavailable' || code === 'resource_exhausted';

/** The refusal that the work throws, as in an ErrorResponse. */
export async function refusalOf(work: () => Promise<void> | void): Promise<Refusal | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || isTransient(error)) throw error;
    const { code, reason, message, params } = error;
    return { code, reason, message, params: { ...params } };
  }
}

async function assertMayAdd(
  database: Database,
  importer: Caller,
  { tenant, roles, groups }: Kind,
): Promise<void> {
  const row = await findTenant(database, tenant);
  if (row?.status !== 'active') throw notFound(`tenant ${tenant}`);
  await assertMayChange(database, importer, { tenant, roles, groups });
  const allRoles = new Set(roles.length > 0 ? roles : [row.settings.defaultRole || memberRole]);
  for (const role of allRoles)
    if (!isTenantRole(role) && !(await findRole(database, tenant, role)))
      throw notFound(`role ${role}`);
  for (const path of groups) {
    const group = await findGroup(database, tenant, pathKey(path));
    if (!group) throw notFound(`group ${path}`);
    assertNotScim(group);
    for (const role of await findGroupRoles(onPool(database), tenant, group.id)) allRoles.add(role);
  }
  if (allRoles.has(ownerRole)) await assertMayMakeOwners(onPool(database), importer, tenant);
  const lacking = await findLacking(onPool(database), importer, tenant, { roles: [...allRoles] });
  if (lacking !== undefined) throw escalation(lacking);
}

/**
 * Throws permission_denied unless the importer may itself add members to the tenant, and grant
 * roles and fill groups there if the membership names some.
 */
async function assertMayChange(
  database: Database,
  importer: Caller,
  { tenant, roles, groups }: Kind,
): Promise<void> {
  const permissions = [
    'iam.users.write',
    ...(roles.length > 0 ? ['iam.grants.write'] : []),
    ...(groups.length > 0 ? ['iam.groups.write'] : []),
  ];
  const run = onPool(database);
  const missing = await findLacking(run, importer, tenant, { roles: [], permissions });
  if (missing !== undefined)
    throw denied(
      `this membership requires ${missing} in the tenant, which the caller does not hold`,
    );
}
