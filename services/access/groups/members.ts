import type { Call } from '@bailiwick/shared/dispatch.ts';
import { notFound } from '@bailiwick/shared/errors.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { LockMode } from '@mikro-orm/core';
import { assertMayConfer, assertMayTouch } from '../decisions/confer.ts';
import { removeGrantsOf } from '../grants/entries.ts';
import { ownerRole } from '../roles/builtin.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { GroupEntity, GroupMemberEntity, type GroupRow } from './entities.ts';
import { pathKey } from './path.ts';
import { findGroupRoles } from './queries.ts';
import { recordGroup, targetOf } from './save.ts';

export type Membership = { tenant: string; group: string; userId: string };

/** Puts a member of the tenant into a group. Whoever does so must hold what the member thereby receives. */
export async function addMember(
  em: EntityManager,
  { tenant, group: path, userId }: Membership,
  call: Call,
): Promise<void> {
  // Both rows stay until this commits, so that no membership outlives its group or its user; the second
  // lock also makes two calls for one user wait for each other.
  const group = await lockGroup(em, path, LockMode.PESSIMISTIC_READ);
  if (!group) throw notFound('group');
  const member = await em.findOne(
    TenantMemberEntity,
    { userId, status: { $ne: 'barred' } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!member) throw notFound('tenant member');
  const stored = await em.findOne(GroupMemberEntity, { groupId: group.id, userId });
  if (stored?.mappedBy === '') return;
  await assertMayConfer(
    em,
    call.caller,
    tenant,
    await findGroupRoles(inTransaction(em), tenant, group.id),
  );
  await enterGroup(em, call, group, { userId });
}

/** `mappedBy` is the provider whose mappings put the member there. */
type NewMember = { userId: string; mappedBy?: string };

/** Puts a member of the tenant into a group, without a question about who may. Both rows are locked. */
export async function enterGroup(
  em: EntityManager,
  call: Call,
  group: GroupRow,
  { userId, mappedBy = '' }: NewMember,
): Promise<void> {
  const { tenant, id: groupId } = group;
  const stored = await em.findOne(GroupMemberEntity, { groupId, userId });
  if (stored) {
    // What somebody gives by hand stays, whatever a mapping said before.
    stored.mappedBy = mappedBy;
    return;
  }
  em.persist(
    em.create(GroupMemberEntity, { tenant, groupId, userId, createdAt: new Date(), mappedBy }),
  );
  recordMember(em, call, 'group.member_added', group, userId);
}

export async function removeMember(
  em: EntityManager,
  { group: path, userId }: Membership,
  call: Call,
): Promise<void> {
  const group = await lockGroup(em, path, LockMode.PESSIMISTIC_READ);
  if (!group) return;
  const membership = await em.findOne(
    GroupMemberEntity,
    { groupId: group.id, userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!membership) return;
  await assertMayTakeFrom(em, call, group);
  em.remove(membership);
  recordMember(em, call, 'group.member_removed', group, userId);
}

/** Deletes a group with its memberships and grants; the groups below it stay. */
export async function deleteGroup(
  em: EntityManager,
  { tenant, path }: { tenant: string; path: string },
  call: Call,
): Promise<void> {
  const group = await lockGroup(em, path, LockMode.PESSIMISTIC_WRITE);
  if (!group) return;
  await assertMayTakeFrom(em, call, group);
  await em.nativeDelete(GroupMemberEntity, { tenant, groupId: group.id });
  await removeGrantsOf(em, tenant, 'group', group.key);
  call.outdated.add(`tenant:${tenant}`);
  em.remove(group);
  recordGroup(em, call, 'group.deleted', group);
}

function lockGroup(em: EntityManager, path: string, lockMode: LockMode) {
  return em.findOne(GroupEntity, { key: pathKey(path) }, { lockMode });
}

/** Nobody but an owner takes ownership from others, also where a group confers it. */
async function assertMayTakeFrom(em: EntityManager, call: Call, group: GroupRow): Promise<void> {
  const roles = await findGroupRoles(inTransaction(em), group.tenant, group.id);
  if (roles.includes(ownerRole)) await assertMayTouch(em, call.caller, group.tenant, [ownerRole]);
}

/** Writes the event of a user's coming into a group or leaving it. */
export function recordMember(
  em: EntityManager,
  call: Call,
  type: string,
  group: GroupRow,
  userId: string,
): void {
  call.outdated.add(`user:${userId}`);
  recordChange(em, call, {
    tenant: group.tenant,
    type,
    data: { Tenant: group.tenant, Group: group.path, UserID: userId },
    targets: [targetOf(group), { Type: 'user', ID: userId, Name: '' }],
  });
}
