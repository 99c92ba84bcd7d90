import { notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrant, assertMayTake, isOneself } from '../decisions/delegation.ts';
import { removeGrantsOf } from '../grants/entries.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { GroupEntity, GroupMemberEntity, type GroupRow, ScimMemberEntity } from './entities.ts';
import { assertNotScim } from './managed.ts';
import { pathKey } from './path.ts';
import { addToGroup, findGroupRoles } from './queries.ts';
import { recordGroup, targetOf } from './save.ts';

export type Membership = { tenant: string; group: string; userId: string };

/**
 * Adds a member of the tenant to a group. The caller needs every permission that the member thereby
 * receives.
 */
export async function addMember(
  tx: Transaction,
  { tenant, group: path, userId }: Membership,
  call: Call,
): Promise<void> {
  // Locks both rows until the commit, so that no membership outlives its group or its user. The
  // second lock also serialises calls for one user.
  const group = await lockGroup(tx, path, LockMode.PESSIMISTIC_READ);
  if (!group) throw notFound('group');
  assertNotScim(group);
  const member = await tx.em.findOne(
    TenantMemberEntity,
    { userId, status: { $ne: 'barred' } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!member) throw notFound('tenant member');
  const stored = await tx.em.findOne(GroupMemberEntity, { groupId: group.id, userId });
  if (stored?.mappedBy === '') return;
  await assertMayGrant(tx, call.caller, tenant, await findGroupRoles(tx.query, tenant, group.id));
  await enterGroup(tx, group, { userId });
}

/** `mappedBy`: the provider whose mappings add the member. */
type NewMember = { userId: string; mappedBy?: string };

/** Adds a member to a group, without checking permissions. Both rows are locked. */
export const enterGroup = (
  tx: Transaction,
  group: GroupRow,
  { userId, mappedBy = '' }: NewMember,
): Promise<void> => enterAll(tx, group, { userIds: [userId], mappedBy });

/** Adds members to a group, without checking permissions. All rows are locked. */
export async function enterAll(
  tx: Transaction,
  group: GroupRow,
  { userIds, mappedBy = '' }: { userIds: readonly string[]; mappedBy?: string },
): Promise<void> {
  if (userIds.length === 0) return;
  for (const userId of await addToGroup(tx.query, group, { userIds, mappedBy }))
    recordMember(tx, 'group.member_added', group, userId);
}

export async function removeMember(
  tx: Transaction,
  { group: path, userId }: Membership,
  call: Call,
): Promise<void> {
  // Even without the membership: the call that has ended it may not have replied yet.
  call.invalidates.add(`user:${userId}`);
  const group = await lockGroup(tx, path, LockMode.PESSIMISTIC_READ);
  if (!group) return;
  const membership = await tx.em.findOne(
    GroupMemberEntity,
    { groupId: group.id, userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!membership) return;
  assertNotScim(group);
  const isOwn = isOneself(call.caller, userId);
  if (!isOwn) await assertMayTakeFrom(tx, call, group);
  tx.em.remove(membership);
  recordMember(tx, 'group.member_removed', group, userId);
}

/**
 * Deletes a group with its memberships and grants. Groups below it are kept. A group of a directory
 * can be deleted too: the directory may be gone.
 */
export async function deleteGroup(
  tx: Transaction,
  { tenant, path }: { tenant: string; path: string },
  call: Call,
): Promise<void> {
  // Even without the group: the call that has deleted it may not have replied yet.
  call.invalidates.add(`tenant:${tenant}`);
  const group = await lockGroup(tx, path, LockMode.PESSIMISTIC_WRITE);
  if (!group) return;
  await assertMayTakeFrom(tx, call, group);
  await removeGroup(tx, group);
}

/** Deletes a group, without checking permissions. It is locked. */
export async function removeGroup(
  tx: Transaction,
  group: GroupRow & { key: string },
): Promise<void> {
  const { tenant } = group;
  await tx.em.nativeDelete(GroupMemberEntity, { tenant, groupId: group.id });
  await tx.em.nativeDelete(ScimMemberEntity, { tenant, groupId: group.id });
  await removeGrantsOf(tx, tenant, 'group', group.key);
  tx.em.remove(group);
  recordGroup(tx, 'group.deleted', group);
}

function lockGroup(tx: Transaction, path: string, lockMode: LockMode) {
  return tx.em.findOne(GroupEntity, { key: pathKey(path) }, { lockMode });
}

/** The members of a group hold its roles, and by hand only those are taken that can be given. */
async function assertMayTakeFrom(tx: Transaction, call: Call, group: GroupRow): Promise<void> {
  const roles = await findGroupRoles(tx.query, group.tenant, group.id);
  await assertMayTake(tx, call.caller, group.tenant, roles);
}

/** Writes the event of a user who joins or leaves a group. */
export function recordMember(tx: Transaction, type: string, group: GroupRow, userId: string): void {
  record(tx, {
    tenant: group.tenant,
    type,
    data: { Tenant: group.tenant, Group: group.path, UserID: userId },
    targets: [targetOf(group), { Type: 'user', ID: userId, Name: '' }],
  });
}
