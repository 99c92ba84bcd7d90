import { notFound } from '@bailiwick/errors';
import { recordChange } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { type EntityManager, inTransaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrant, assertMayTake, isOneself } from '../decisions/delegation.ts';
import type { RightsCause } from '../grants/entries.ts';
import { removeGrantsOf } from '../grants/entries.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { GroupEntity, GroupMemberEntity, type GroupRow, ScimMemberEntity } from './entities.ts';
import { assertNotScim } from './managed.ts';
import { pathKey } from './path.ts';
import { findGroupRoles } from './queries.ts';
import { recordGroup, targetOf } from './save.ts';

export type Membership = { tenant: string; group: string; userId: string };

/**
 * Adds a member of the tenant to a group. The caller needs every permission that the member thereby
 * receives.
 */
export async function addMember(
  em: EntityManager,
  { tenant, group: path, userId }: Membership,
  call: Call,
): Promise<void> {
  // Locks both rows until the commit, so that no membership outlives its group or its user. The
  // second lock also serialises calls for one user.
  const group = await lockGroup(em, path, LockMode.PESSIMISTIC_READ);
  if (!group) throw notFound('group');
  assertNotScim(group);
  const member = await em.findOne(
    TenantMemberEntity,
    { userId, status: { $ne: 'barred' } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!member) throw notFound('tenant member');
  const stored = await em.findOne(GroupMemberEntity, { groupId: group.id, userId });
  if (stored?.mappedBy === '') return;
  await assertMayGrant(
    em,
    call.caller,
    tenant,
    await findGroupRoles(inTransaction(em), tenant, group.id),
  );
  await enterGroup(em, call, group, { userId });
}

/** `mappedBy`: the provider whose mappings add the member. */
type NewMember = { userId: string; mappedBy?: string };

/** Adds a member to a group, without checking permissions. Both rows are locked. */
export const enterGroup = (
  em: EntityManager,
  call: Call,
  group: GroupRow,
  { userId, mappedBy = '' }: NewMember,
): Promise<void> => enterAll(em, call, group, { userIds: [userId], mappedBy });

/** Adds members to a group, without checking permissions. All rows are locked. */
export async function enterAll(
  em: EntityManager,
  call: Call,
  group: GroupRow,
  { userIds, mappedBy = '' }: { userIds: readonly string[]; mappedBy?: string },
): Promise<void> {
  const { tenant, id: groupId } = group;
  const stored = await em.find(GroupMemberEntity, { groupId, userId: { $in: [...userIds] } });
  // A membership added by hand is no longer managed by mappings.
  for (const membership of stored) membership.mappedBy = mappedBy;
  const known = new Set(stored.map(({ userId }) => userId));
  const createdAt = new Date();
  for (const userId of userIds) {
    if (known.has(userId)) continue;
    em.persist(em.create(GroupMemberEntity, { tenant, groupId, userId, createdAt, mappedBy }));
    recordMember(em, call, 'group.member_added', group, userId);
  }
}

export async function removeMember(
  em: EntityManager,
  { group: path, userId }: Membership,
  call: Call,
): Promise<void> {
  // Even without the membership: the call that has ended it may not have replied yet.
  call.invalidates.add(`user:${userId}`);
  const group = await lockGroup(em, path, LockMode.PESSIMISTIC_READ);
  if (!group) return;
  const membership = await em.findOne(
    GroupMemberEntity,
    { groupId: group.id, userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!membership) return;
  assertNotScim(group);
  const isOwn = isOneself(call.caller, userId);
  if (!isOwn) await assertMayTakeFrom(em, call, group);
  em.remove(membership);
  recordMember(em, call, 'group.member_removed', group, userId);
}

/**
 * Deletes a group with its memberships and grants. Groups below it are kept. A group of a directory
 * can be deleted too: the directory may be gone.
 */
export async function deleteGroup(
  em: EntityManager,
  { tenant, path }: { tenant: string; path: string },
  call: Call,
): Promise<void> {
  // Even without the group: the call that has deleted it may not have replied yet.
  call.invalidates.add(`tenant:${tenant}`);
  const group = await lockGroup(em, path, LockMode.PESSIMISTIC_WRITE);
  if (!group) return;
  await assertMayTakeFrom(em, call, group);
  await removeGroup(em, group, call);
}

/** Deletes a group, without checking permissions. It is locked. */
export async function removeGroup(
  em: EntityManager,
  group: GroupRow & { key: string },
  call: Call,
): Promise<void> {
  const { tenant } = group;
  await em.nativeDelete(GroupMemberEntity, { tenant, groupId: group.id });
  await em.nativeDelete(ScimMemberEntity, { tenant, groupId: group.id });
  await removeGrantsOf(em, tenant, 'group', group.key);
  em.remove(group);
  recordGroup(em, call, 'group.deleted', group);
}

function lockGroup(em: EntityManager, path: string, lockMode: LockMode) {
  return em.findOne(GroupEntity, { key: pathKey(path) }, { lockMode });
}

/** The members of a group hold its roles, and by hand only those are taken that can be given. */
async function assertMayTakeFrom(em: EntityManager, call: Call, group: GroupRow): Promise<void> {
  const roles = await findGroupRoles(inTransaction(em), group.tenant, group.id);
  await assertMayTake(em, call.caller, group.tenant, roles);
}

/** Writes the event of a user who joins or leaves a group. */
export function recordMember(
  em: EntityManager,
  call: RightsCause,
  type: string,
  group: GroupRow,
  userId: string,
): void {
  recordChange(em, call, {
    tenant: group.tenant,
    type,
    data: { Tenant: group.tenant, Group: group.path, UserID: userId },
    targets: [targetOf(group), { Type: 'user', ID: userId, Name: '' }],
  });
}
