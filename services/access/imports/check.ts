import { assertRecentLogin, type Caller } from '@bailiwick/call';
import { type Database, onPool } from '@bailiwick/database';
import { escalation, notFound, ServiceError } from '@bailiwick/errors';
import type { NewMembership } from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import { findLacking } from '../decisions/delegation.ts';
import { assertNotScim } from '../groups/managed.ts';
import { pathKey } from '../groups/path.ts';
import { findGroup, findGroupRoles } from '../groups/queries.ts';
import { isTenantRole, memberRole, ownerRole } from '../permissions/builtin.ts';
import { findRole } from '../roles/queries.ts';
import { findTenant } from '../tenants/queries.ts';

export type Refused = { code: string; message: string };

/**
 * Returns a check of memberships: their tenants, roles and groups exist, and the importer holds what
 * they give. Memberships of many users are alike, and each kind is checked once.
 */
export function createCheck(database: Database, importer: Caller) {
  const known = new Map<string, Promise<Refused | undefined>>();
  return ({ tenant, roles, groups }: NewMembership): Promise<Refused | undefined> => {
    const kind = JSON.stringify([tenant, roles, groups]);
    const checked =
      known.get(kind) ??
      refusalOf(() => assertMayAdd(database, importer, { tenant, roles, groups }));
    known.set(kind, checked);
    return checked;
  };
}

const isTransient = ({ code }: ServiceError): boolean =>
  code === 'unavailable' || code === 'resource_exhausted';

/** The refusal that the work throws, in the words of an ErrorResponse. */
export async function refusalOf(work: () => Promise<void>): Promise<Refused | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && !isTransient(error))
      return { code: error.code, message: error.message };
    throw error;
  }
}

async function assertMayAdd(
  database: Database,
  importer: Caller,
  { tenant, roles, groups }: Pick<NewMembership, 'tenant' | 'roles' | 'groups'>,
): Promise<void> {
  const found = await findTenant(database, tenant);
  if (found?.status !== 'active') throw notFound(`tenant ${tenant}`);
  const given = new Set(roles.length > 0 ? roles : [found.settings.defaultRole || memberRole]);
  for (const role of given)
    if (!isTenantRole(role) && !(await findRole(database, tenant, role)))
      throw notFound(`role ${role}`);
  for (const path of groups) {
    const group = await findGroup(database, tenant, pathKey(path));
    if (!group) throw notFound(`group ${path}`);
    assertNotScim(group);
    for (const role of await findGroupRoles(onPool(database), tenant, group.id)) given.add(role);
  }
  if (given.has(ownerRole)) assertRecentLogin(importer);
  const lacking = await findLacking(onPool(database), importer, tenant, { roles: [...given] });
  if (lacking !== undefined) throw escalation(lacking);
}
