import { type EntityManager, inTransaction } from '@bailiwick/database';
import { type Call } from '@bailiwick/rpc';
import { type Log } from '@bailiwick/telemetry';
import { LockMode } from '@mikro-orm/core';
import { GrantEntity } from '../grants/entities.ts';
import { addGrant, removeGrant } from '../grants/entries.ts';
import { GroupMemberEntity, type GroupRow } from '../groups/entities.ts';
import { enterGroup, recordMember } from '../groups/members.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { countOtherOwners } from '../tenants/queries.ts';

// A provider's mappings grant a user roles and groups, and revoke those that they granted before
// and no longer name. They never touch grants made otherwise: each row stores the provider whose
// mappings made it.

type Person = { tenant: string; userId: string; provider: string };
type LockedGroup = GroupRow & { key: string };
type Following = { em: EntityManager; call: Call; log: Log; person: Person };
/** Existing roles, and keys of groups. */
type Named = { roles: readonly string[]; groups: ReadonlySet<string> };

/**
 * Makes a user's roles and groups match the mappings. `groups` are the existing groups that are
 * named now or were named before.
 */
export async function followMappings(
  following: Following,
  named: Named,
  groups: readonly LockedGroup[],
): Promise<void> {
  await followRoles(following, new Set(named.roles));
  await followGroups(following, named.groups, groups);
}

async function followRoles(
  { em, call, log, person }: Following,
  named: ReadonlySet<string>,
): Promise<void> {
  const { tenant, userId, provider } = person;
  const key = { tenant, subjectType: 'user' as const, subject: userId };
  const where = { subjectType: 'user' as const, subject: userId, resource: '' };
  const grants = await em.find(GrantEntity, where, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
  });
  // An expired grant is not effective.
  const inForce = new Set(
    grants
      .filter(({ expiresAt }) => !expiresAt || expiresAt.getTime() > Date.now())
      .map(({ role }) => role),
  );
  for (const { role, mappedBy } of grants) {
    if (mappedBy !== provider || named.has(role)) continue;
    if (role === ownerRole && (await countOtherOwners(inTransaction(em), tenant, userId)) === 0)
      log.warn(
        'the mappings of the provider no longer name the last owner of the tenant, ownership kept',
        { ...person },
      );
    else await removeGrant(em, call, { ...key, role });
  }
  for (const role of named)
    if (!inForce.has(role))
      await addGrant(em, call, { ...key, role, createdBy: provider, mappedBy: provider });
}

async function followGroups(
  { em, call, person }: Following,
  named: ReadonlySet<string>,
  groups: readonly LockedGroup[],
): Promise<void> {
  const { userId, provider } = person;
  const where = { userId, groupId: { $in: groups.map(({ id }) => id) } };
  const memberships = await em.find(GroupMemberEntity, where, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { groupId: 'asc' },
  });
  for (const group of groups) {
    const membership = memberships.find(({ groupId }) => groupId === group.id);
    if (named.has(group.key)) {
      if (!membership) await enterGroup(em, call, group, { userId, mappedBy: provider });
    } else if (membership?.mappedBy === provider) {
      em.remove(membership);
      recordMember(em, call, 'group.member_removed', group, userId);
    }
  }
}
