import type { Call } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import type { Giver } from '../decisions/delegation.ts';
import { reportEnd } from '../decisions/sources.ts';
import { GrantEntity } from '../grants/entities.ts';
import { addGrant, type RightsCause, removeGrant } from '../grants/entries.ts';
import { GroupMemberEntity, type GroupRow } from '../groups/entities.ts';
import { enterGroup, recordMember } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { countOtherOwners } from '../tenants/owners/queries.ts';
import type { HandingOut } from './handing-out.ts';

// A provider's mappings grant a user roles and groups, and revoke those that they granted before
// and no longer name. They never touch grants made otherwise: each row stores the provider whose
// mappings made it.

type Person = { tenant: string; userId: string; provider: string };
type LockedGroup = GroupRow & { key: string };
type Ending = {
  tx: Transaction;
  cause: RightsCause;
  log: Log;
  person: Person;
  /** Who answers for the provider; undefined = unknown. */
  giver: Giver | undefined;
};
type Following = Omit<Ending, 'cause'> & { call: Call; handingOut: HandingOut };
/** Existing roles, and keys of groups. `keeps`: those that are not named stay. */
type NamedRights = { roles: ReadonlySet<string>; groups: ReadonlySet<string>; keeps: boolean };

/**
 * Makes a user's roles and groups match the mappings. `groups` are the existing groups that are
 * named now or were named before. Returns whether roles or groups were revoked.
 */
export async function followMappings(
  { tx, call, log, person, giver, handingOut }: Following,
  named: NamedRights,
  groups: readonly LockedGroup[],
): Promise<boolean> {
  const ending = { tx, cause: call, log, person, giver };
  const grants = await lockGrants(tx, person);
  const memberships = await lockMemberships(tx, person, groups);
  const isEnded = !named.keeps && (await endMapped(ending, named, { grants, memberships, groups }));
  const { tenant, userId, provider } = person;
  const key = { tenant, subjectType: 'user' as const, subject: userId };
  // An expired grant is not effective.
  const inForce = new Set(
    grants
      .filter(({ expiresAt }) => !expiresAt || expiresAt.getTime() > Date.now())
      .map(({ role }) => role),
  );
  for (const role of named.roles)
    if (!inForce.has(role) && (await handingOut.mayGrant(role)))
      await addGrant(tx, call, { ...key, role, createdBy: provider, mappedBy: provider });
  for (const group of groups)
    if (
      named.groups.has(group.key) &&
      !memberships.some(({ groupId }) => groupId === group.id) &&
      (await handingOut.mayFill(group))
    )
      await enterGroup(tx, group, { userId, mappedBy: provider });
  return isEnded;
}

/** Revokes all that the mappings of a provider gave a user. */
export async function endMappings(
  ending: Ending,
  groups: readonly LockedGroup[],
): Promise<boolean> {
  const { tx, person } = ending;
  const grants = await lockGrants(tx, person);
  const memberships = await lockMemberships(tx, person, groups);
  const none = { roles: new Set<string>(), groups: new Set<string>() };
  return endMapped(ending, none, { grants, memberships, groups });
}

const lockGrants = (tx: Transaction, { userId: subject }: Person) =>
  tx.em.find(
    GrantEntity,
    { subjectType: 'user', subject, resource: '' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  );

const lockMemberships = (tx: Transaction, { userId }: Person, groups: readonly LockedGroup[]) =>
  tx.em.find(
    GroupMemberEntity,
    { userId, groupId: { $in: groups.map(({ id }) => id) } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { groupId: 'asc' } },
  );

type MappedRights = {
  grants: Awaited<ReturnType<typeof lockGrants>>;
  memberships: Awaited<ReturnType<typeof lockMemberships>>;
  groups: readonly LockedGroup[];
};

/** Revokes the mapped roles and groups that are not named. */
async function endMapped(
  { tx, cause, log, person, giver }: Ending,
  named: Pick<NamedRights, 'roles' | 'groups'>,
  { grants, memberships, groups }: MappedRights,
): Promise<boolean> {
  const { tenant, userId, provider } = person;
  const key = { tenant, subjectType: 'user' as const, subject: userId };
  const ended: string[] = [];
  let isEnded = false;
  for (const { role, mappedBy } of grants) {
    if (mappedBy !== provider || named.roles.has(role)) continue;
    if (role === ownerRole && (await countOtherOwners(tx.query, tenant, userId)) === 0)
      log.warn(
        'the mappings of the provider no longer name the last owner of the tenant, ownership kept',
        { ...person },
      );
    else {
      await removeGrant(tx, cause, { ...key, role });
      ended.push(role);
      isEnded = true;
    }
  }
  for (const membership of memberships) {
    const group = groups.find(({ id }) => id === membership.groupId);
    if (!group || membership.mappedBy !== provider || named.groups.has(group.key)) continue;
    tx.em.remove(membership);
    recordMember(tx, 'group.member_removed', group, userId);
    ended.push(...(await findGroupRoles(tx.query, tenant, group.id)));
    isEnded = true;
  }
  if (giver) {
    const source = { id: provider, maker: giver };
    await reportEnd(tx, source, { tenant, userIds: [userId], roles: ended });
  }
  return isEnded;
}
