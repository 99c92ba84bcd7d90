import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { findLacking, type Giver, giverLater } from '../decisions/delegation.ts';
import type { Source } from '../decisions/sources.ts';
import { GroupEntity, type GroupRow, ScimMemberEntity } from '../groups/entities.ts';
import { enterGroup } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { ScimUserEntity } from './entities.ts';
import { isLinked } from './queries.ts';

/**
 * The account of a person of the directory, who is a member of the tenant now. `source`: the
 * directory that makes the call, if it does.
 */
type Account = { scimUserId: string; userId: string; source?: Source };

/**
 * Puts a new member into the groups in which the directory has the person, except those whose roles
 * the directory may not give: with the rights of the maker of its present key, or of the key that
 * added the person. The tenant is locked.
 */
export async function enterScimGroups(
  tx: Transaction,
  { scimUserId, userId, source }: Account,
): Promise<void> {
  const rows = await tx.em.find(ScimMemberEntity, { scimUserId }, { orderBy: { groupId: 'asc' } });
  for (const { groupId, tenant, maker } of rows) {
    const group = await tx.em.findOne(
      GroupEntity,
      { id: groupId },
      { lockMode: LockMode.PESSIMISTIC_READ },
    );
    const giver = source?.maker ?? giverLater(tenant, maker ?? nobody);
    if (group && (await mayEnter(tx, group, giver))) await enterGroup(tx, group, { userId });
  }
}

const nobody = { type: '', id: '', narrowedTo: [] };

/** Whether a directory may give what the group gives. No directory makes owners. */
async function mayEnter(tx: Transaction, { tenant, id }: GroupRow, giver: Giver) {
  const run = tx.query;
  const roles = await findGroupRoles(run, tenant, id);
  if (roles.includes(ownerRole)) return false;
  return (await findLacking(run, giver, tenant, { roles })) === undefined;
}

/**
 * Links a person of the directory to the account that has accepted the invitation, unless another
 * person has the account already.
 */
export async function joinAsInvited(
  tx: Transaction,
  invitationId: string,
  userId: string,
): Promise<void> {
  const person = await tx.em.findOne(ScimUserEntity, { invitationId });
  if (!person || (await isLinked(tx.query, person, userId))) return;
  person.userId = userId;
  await enterScimGroups(tx, { scimUserId: person.id, userId });
}
