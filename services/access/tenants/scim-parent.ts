import { failedPrecondition, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { TenantChange } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { assertMayGrant } from '../decisions/delegation.ts';
import { ownerRole } from '../permissions/builtin.ts';
import type { TenantRow } from './entities.ts';
import { findParentOfScim } from './queries.ts';

/**
 * The caller must be able to grant what a new parent of a directory's groups gives: their members,
 * whom the directory chooses, get it without any further check.
 */
export async function assertScimParent(
  tx: Transaction,
  { id, settings }: TenantRow,
  change: TenantChange,
  call: Call,
): Promise<void> {
  const path = change.settings?.scimGroupParent;
  if (path === undefined || path === '' || path === settings.scimGroupParent) return;
  const parent = await findParentOfScim(tx.query, id, path);
  if (!parent) throw notFound('group');
  if (parent.source === 'scim')
    throw failedPrecondition('a group of a directory cannot be a parent', 'DIRECTORY_GROUP');
  if (parent.roles.includes(ownerRole))
    throw failedPrecondition(
      'a directory cannot manage groups that have the role owner',
      'DIRECTORY_GROUP',
    );
  await assertMayGrant(tx, call.caller, id, parent.roles);
}
