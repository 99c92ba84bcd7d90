import { type EntityManager, inTransaction } from '@bailiwick/database';
import { type Call } from '@bailiwick/rpc';
import { LockMode } from '@mikro-orm/core';
import { GroupEntity, type GroupRow, ScimMemberEntity } from '../groups/entities.ts';
import { enterGroup } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { ScimUserEntity } from './entities.ts';

/** The account of a person of the directory, who is a member of the tenant now. */
type Account = { scimUserId: string; userId: string };

/** Puts a new member into the groups in which the directory has the person. The tenant is locked. */
export async function enterScimGroups(
  em: EntityManager,
  call: Call,
  { scimUserId, userId }: Account,
): Promise<void> {
  const rows = await em.find(ScimMemberEntity, { scimUserId }, { orderBy: { groupId: 'asc' } });
  for (const { groupId } of rows) {
    const group = await em.findOne(
      GroupEntity,
      { id: groupId },
      { lockMode: LockMode.PESSIMISTIC_READ },
    );
    if (group && !(await givesOwnership(em, group))) await enterGroup(em, call, group, { userId });
  }
}

/** Whether a group makes its members owners, which no directory decides. */
const givesOwnership = async (em: EntityManager, { tenant, id }: GroupRow): Promise<boolean> =>
  (await findGroupRoles(inTransaction(em), tenant, id)).includes(ownerRole);

/**
 * Whether a person other than `personId` has an account. Two people with one account would end each
 * other's membership. The tenant is locked.
 */
export const isLinked = async (
  em: EntityManager,
  userId: string,
  personId: string,
): Promise<boolean> => (await em.count(ScimUserEntity, { userId, id: { $ne: personId } })) > 0;

/**
 * Links a person of the directory to the account that has accepted the invitation, unless another
 * person has the account already.
 */
export async function joinAsInvited(
  em: EntityManager,
  call: Call,
  invitationId: string,
  userId: string,
): Promise<void> {
  const person = await em.findOne(ScimUserEntity, { invitationId });
  if (!person || (await isLinked(em, userId, person.id))) return;
  person.userId = userId;
  await enterScimGroups(em, call, { scimUserId: person.id, userId });
}
