import { type EntityManager, inTransaction } from '@bailiwick/database';
import { type Call } from '@bailiwick/rpc';
import { timeAfter } from '@bailiwick/values';
import { FlushMode, LockMode } from '@mikro-orm/core';
import { assertMayGrant } from '../decisions/delegation.ts';
import {
  GroupEntity,
  GroupMemberEntity,
  type GroupRow,
  ScimMemberEntity,
} from '../groups/entities.ts';
import { enterAll, recordMember } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { invalidValue } from './protocol/problems.ts';
import { findAccounts } from './queries.ts';

type Members = { present: ReadonlySet<string>; wanted: ReadonlySet<string> };

/**
 * Makes the members of a group follow the directory. The tenant and the group are locked.
 *
 * The directory needs none of the group's permissions: an administrator who grants a role to a group
 * of the directory lets the directory choose who has it. Ownership is the exception.
 */
export async function setMembers(
  em: EntityManager,
  call: Call,
  group: GroupRow,
  { present, wanted }: Members,
): Promise<void> {
  const added = [...wanted].filter((id) => !present.has(id));
  const removed = [...present].filter((id) => !wanted.has(id));
  if (added.length + removed.length === 0) return;
  // No row that is written here is read again: all are written together at the end.
  em.setFlushMode(FlushMode.COMMIT);
  const { tenant, id: groupId } = group;
  const run = inTransaction(em);
  if ((await findGroupRoles(run, tenant, groupId)).includes(ownerRole))
    await assertMayGrant(em, call.caller, tenant, [ownerRole]);
  const accounts = await findAccounts(run, tenant, [...added, ...removed]);
  const userIds = new Map(accounts.map(({ id, userId }) => [id, userId]));
  await addAll(em, call, group, { added, userIds });
  await em.nativeDelete(ScimMemberEntity, { tenant, groupId, scimUserId: { $in: removed } });
  const left = removed.flatMap((id) => userIds.get(id) || []);
  const rows = await em.find(
    GroupMemberEntity,
    { groupId, userId: { $in: left } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { userId: 'asc' } },
  );
  for (const row of rows) {
    em.remove(row);
    recordMember(em, call, 'group.member_removed', group, row.userId);
  }
}

type Added = { added: readonly string[]; userIds: ReadonlyMap<string, string> };

async function addAll(
  em: EntityManager,
  call: Call,
  group: GroupRow,
  { added, userIds }: Added,
): Promise<void> {
  const { tenant, id: groupId } = group;
  const createdAt = new Date();
  for (const scimUserId of added) {
    if (!userIds.has(scimUserId))
      throw invalidValue(`members must be Users: there is no User ${scimUserId.slice(0, 100)}`);
    em.persist(em.create(ScimMemberEntity, { tenant, groupId, scimUserId, createdAt }));
  }
  const joining = added.flatMap((id) => userIds.get(id) || []).toSorted();
  // Locked until the commit, so that no membership of the group outlives its member.
  const members = await em.find(
    TenantMemberEntity,
    { userId: { $in: joining }, status: { $ne: 'barred' } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { userId: 'asc' } },
  );
  await enterAll(em, call, group, { userIds: members.map(({ userId }) => userId) });
}

/**
 * Removes a person from the groups of the directory, which get a new version. Locks the groups:
 * called before the person's membership is locked, as in `setMembers`.
 */
export async function leaveScimGroups(
  em: EntityManager,
  { tenant, scimUserId }: { tenant: string; scimUserId: string },
): Promise<void> {
  const places = await em.find(ScimMemberEntity, { scimUserId });
  const groups = await em.find(
    GroupEntity,
    { id: { $in: places.map(({ groupId }) => groupId) } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  );
  for (const group of groups) group.updatedAt = timeAfter(group.updatedAt);
  await em.nativeDelete(ScimMemberEntity, { tenant, scimUserId });
}
