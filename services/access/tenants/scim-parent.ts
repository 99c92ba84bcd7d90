import { type EntityManager, inTransaction, type Run, type Statement } from '@bailiwick/database';
import { failedPrecondition, notFound } from '@bailiwick/errors';
import type { TenantChange } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { type Call } from '@bailiwick/rpc';
import { assertMayGrant } from '../decisions/delegation.ts';
import { ownerRole } from '../permissions/builtin.ts';
import type { TenantRow } from './entities.ts';

const parentGroup: Statement = {
  name: 'access.scim_parent',
  text: `select e.source, array(select distinct g.role from grant_entry g
           where g.tenant = e.tenant and g.subject_type = 'group' and g.subject = any (e.ancestor_keys)
             and (g.expires_at is null or g.expires_at > now())) as roles
         from group_entry e where e.tenant = $1 and e.key = lower(ltrim($2, '/'))`,
};

async function findParent(
  run: Run,
  tenant: string,
  path: string,
): Promise<{ source: string; roles: string[] } | undefined> {
  return (await run<{ source: string; roles: string[] }>(parentGroup, [tenant, path]))[0];
}

/**
 * The caller must be able to grant what a new parent of a directory's groups gives: their members,
 * whom the directory chooses, get it without any further check.
 */
export async function assertScimParent(
  em: EntityManager,
  { id, settings }: TenantRow,
  sent: TenantChange,
  call: Call,
): Promise<void> {
  const path = sent.settings?.scimGroupParent;
  if (path === undefined || path === '' || path === settings.scimGroupParent) return;
  const parent = await findParent(inTransaction(em), id, path);
  if (!parent) throw notFound('group');
  if (parent.source === 'scim')
    throw failedPrecondition('a group of a directory cannot be a parent', 'SCIM_GROUP');
  if (parent.roles.includes(ownerRole))
    throw failedPrecondition('a directory cannot fill groups with the role owner', 'SCIM_GROUP');
  await assertMayGrant(em, call.caller, id, parent.roles);
}
