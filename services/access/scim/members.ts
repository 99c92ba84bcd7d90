import { timeAfter } from '@bailiwick/contract';
import { type ServiceError, toServiceError } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { FlushMode, LockMode } from '@mikro-orm/core';
import { storedGiver } from '../decisions/delegation.ts';
import { assertMayHandOut, ownerProtected, reportEnd, type Source } from '../decisions/sources.ts';
import {
  GroupEntity,
  GroupMemberEntity,
  type GroupRow,
  ScimMemberEntity,
} from '../groups/entities.ts';
import { enterAll, recordMember } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { invalidValue } from './protocol/problems.ts';
import { addPeopleTo, findAccounts, lockMembersOf } from './queries.ts';

type Members = { present: ReadonlySet<string>; desired: ReadonlySet<string> };

/**
 * Makes the members of a group follow the directory. The tenant and the group are locked. The
 * directory adds people only if its maker may grant what the group gives, and removes all but the
 * members of a group that makes owners. Returns the refusal of additions if people were removed,
 * which the refusal must not undo.
 */
export async function setMembers(
  tx: Transaction,
  { call, source }: DirectoryRequest,
  group: GroupRow,
  { present, desired }: Members,
): Promise<ServiceError | undefined> {
  const added = [...desired].filter((id) => !present.has(id));
  const removed = [...present].filter((id) => !desired.has(id));
  if (added.length + removed.length === 0) return undefined;
  // No row that is written here is read again: all are written together at the end.
  tx.em.setFlushMode(FlushMode.COMMIT);
  const { tenant, id: groupId } = group;
  const run = tx.query;
  const roles = await findGroupRoles(run, tenant, groupId);
  const refusal =
    added.length > 0 ? await refusalOf(assertMayHandOut(run, source, tenant, roles)) : undefined;
  if (refusal && removed.length === 0) throw refusal;
  const accounts = await findAccounts(run, tenant, [...added, ...removed]);
  const userIds = new Map(accounts.map(({ id, userId }) => [id, userId]));
  if (!refusal) await addAll(tx, { call, source }, group, { added, userIds });
  await tx.em.nativeDelete(ScimMemberEntity, { tenant, groupId, scimUserId: { $in: removed } });
  const leaverIds = removed.flatMap((id) => userIds.get(id) || []);
  await removeAll(tx, { call, source }, group, { leaverIds, roles });
  return refusal;
}

type DirectoryRequest = { call: Call; source: Source };

async function refusalOf(check: Promise<void>): Promise<ServiceError | undefined> {
  try {
    await check;
    return undefined;
  } catch (error) {
    const refusal = toServiceError(error);
    if (refusal.code === 'permission_denied') return refusal;
    throw error;
  }
}

async function removeAll(
  tx: Transaction,
  { source }: DirectoryRequest,
  group: GroupRow,
  { leaverIds, roles }: { leaverIds: readonly string[]; roles: readonly string[] },
): Promise<void> {
  if (leaverIds.length === 0) return;
  if (roles.includes(ownerRole)) throw ownerProtected(group.path);
  const { tenant, id: groupId } = group;
  const rows = await tx.em.find(
    GroupMemberEntity,
    { groupId, userId: { $in: [...leaverIds] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { userId: 'asc' } },
  );
  for (const row of rows) {
    tx.em.remove(row);
    recordMember(tx, 'group.member_removed', group, row.userId);
  }
  const userIds = rows.map(({ userId }) => userId);
  await reportEnd(tx, source, { tenant, userIds, roles });
}

type NewMembers = { added: readonly string[]; userIds: ReadonlyMap<string, string> };

async function addAll(
  tx: Transaction,
  { source }: DirectoryRequest,
  group: GroupRow,
  { added, userIds }: NewMembers,
): Promise<void> {
  const unknown = added.find((id) => !userIds.has(id));
  if (unknown !== undefined)
    throw invalidValue(`members must be Users: there is no User ${unknown.slice(0, 100)}`);
  if (added.length === 0) return;
  await addPeopleTo(tx.query, group, added, storedGiver(source.maker));
  const joining = added.flatMap((id) => userIds.get(id) || []);
  // Locked until the commit, so that no membership of the group outlives its member.
  const members = await lockMembersOf(tx.query, group.tenant, joining);
  await enterAll(tx, group, { userIds: members });
}

/**
 * Removes a person from the groups of the directory, which get a new version. Locks the groups:
 * called before the person's membership is locked, as in `setMembers`.
 */
export async function leaveScimGroups(
  tx: Transaction,
  { tenant, scimUserId }: { tenant: string; scimUserId: string },
): Promise<void> {
  const places = await tx.em.find(ScimMemberEntity, { scimUserId });
  const groups = await tx.em.find(
    GroupEntity,
    { id: { $in: places.map(({ groupId }) => groupId) } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  );
  for (const group of groups) group.updatedAt = timeAfter(group.updatedAt);
  await tx.em.nativeDelete(ScimMemberEntity, { tenant, scimUserId });
}
