import { failedPrecondition, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { NewMembership } from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrant } from '../decisions/delegation.ts';
import { addRolesTo } from '../grants/entries.ts';
import { GroupEntity, type GroupRow } from '../groups/entities.ts';
import { assertNotScim } from '../groups/managed.ts';
import { enterAll } from '../groups/members.ts';
import { pathKey } from '../groups/path.ts';
import { memberRole } from '../permissions/builtin.ts';
import { lockRoles } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { lockActive } from '../subjects/state.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import { startMemberships } from '../tenants/membership.ts';
import { type Refusal, refusalOf } from './check.ts';

export type ImportDeps = { database: Database };

/** A membership and its place in the request. */
export type NumberedMembership = { index: number; membership: NewMembership };
export type NumberedRefusal = Refusal & { index: number };

/** Rows of a transaction, which keeps the tenant locked: memberships with their roles and groups. */
const perTransaction = 1000;

function* partsOf(numbered: readonly NumberedMembership[]): Generator<NumberedMembership[]> {
  let part: NumberedMembership[] = [];
  let rows = 0;
  for (const one of numbered) {
    part.push(one);
    rows += 1 + Math.max(1, one.membership.roles.length) + one.membership.groups.length;
    if (rows < perTransaction) continue;
    yield part;
    [part, rows] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** Adds users to a tenant. Each gets its membership with all roles and groups, or nothing. */
export async function addMembers(
  { database }: ImportDeps,
  tenant: string,
  numbered: readonly NumberedMembership[],
  call: Call,
): Promise<NumberedRefusal[]> {
  const refusals: NumberedRefusal[] = [];
  for (const part of partsOf(numbered)) {
    const refusal = await refusalOf(async () => {
      refusals.push(
        ...(await database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, (tx) =>
          addPart(tx, part, call),
        )),
      );
    });
    // The tenant was suspended or deleted meanwhile.
    if (refusal) refusals.push(...part.map(({ index }) => ({ index, ...refusal })));
  }
  return refusals;
}

async function addPart(
  tx: Transaction,
  numbered: readonly NumberedMembership[],
  call: Call,
): Promise<NumberedRefusal[]> {
  const memberships = numbered.map(({ membership }) => membership);
  const userIds = memberships.map(({ userId }) => userId);
  const active = await lockActive(tx, userIds);
  const { settings } = await lockTenant(tx, memberships[0]?.tenant ?? '');
  const standard = settings.defaultRole || memberRole;
  const roles = await lockRoles(tx, [standard, ...memberships.flatMap((each) => each.roles)]);
  const groups = await lockGroups(tx, memberships);
  // The rights of the importer, or the permissions of a role, may have changed since the check.
  await assertMayGrant(
    tx,
    call.caller,
    memberships[0]?.tenant ?? '',
    rolesOf(memberships, standard),
  );
  const members = await tx.em.find(TenantMemberEntity, { userId: { $in: userIds } });
  const barred = new Set(idsOf(members.filter(({ status }) => status === 'barred')));
  const present = new Set(idsOf(members.filter(({ status }) => status !== 'barred')));
  const refusals: NumberedRefusal[] = [];
  const gains: Gain[] = [];
  for (const { index, membership } of numbered) {
    // The same user may be in the request twice.
    if (present.has(membership.userId)) continue;
    present.add(membership.userId);
    const refusal = await refusalOf(() => {
      if (!active.has(membership.userId))
        throw failedPrecondition('the account is disabled or deleted', 'ACCOUNT_DISABLED');
      // Such a user rejoins only if an administrator agrees to it for this user.
      if (barred.has(membership.userId))
        throw failedPrecondition(
          'the user has left the tenant while disabled: TenantMembers_Add makes it a member again',
          'MEMBER_BARRED',
        );
      const memberRoles = rolesOf([membership], standard);
      for (const role of memberRoles) if (!roles.has(role)) throw notFound(`role ${role}`);
      const { userId } = membership;
      gains.push({ userId, roles: memberRoles, groups: presentGroups(membership, groups) });
    });
    if (refusal) refusals.push({ index, ...refusal });
  }
  // Every check is done: a refused membership leaves nothing behind.
  await addAll(tx, memberships[0]?.tenant ?? '', gains, call);
  return refusals;
}

const idsOf = (members: ReadonlyArray<{ userId: string }>) => members.map(({ userId }) => userId);

/** The roles of memberships. `standard` is the role of those without any. */
const rolesOf = (memberships: readonly NewMembership[], standard: string): string[] =>
  memberships.flatMap(({ roles }) => (roles.length > 0 ? roles : [standard]));

/** The groups of all memberships by their keys, locked against deletion until the commit. */
async function lockGroups(
  tx: Transaction,
  memberships: readonly NewMembership[],
): Promise<ReadonlyMap<string, GroupRow>> {
  const keys = new Set(memberships.flatMap(({ groups }) => groups.map(pathKey)));
  if (keys.size === 0) return new Map();
  const rows = await tx.em.find(
    GroupEntity,
    { key: { $in: [...keys] } },
    { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' } },
  );
  return new Map(rows.map((row) => [row.key, row]));
}

const presentGroups = (
  { groups }: NewMembership,
  groupsByKey: ReadonlyMap<string, GroupRow>,
): GroupRow[] =>
  [...new Set(groups.map(pathKey))].map((key) => {
    const group = groupsByKey.get(key);
    if (!group) throw notFound(`group ${key}`);
    assertNotScim(group);
    return group;
  });

/** The roles and groups of a new member. */
type Gain = { userId: string; roles: readonly string[]; groups: readonly GroupRow[] };

async function addAll(
  tx: Transaction,
  tenant: string,
  gains: readonly Gain[],
  call: Call,
): Promise<void> {
  if (gains.length === 0) return;
  await startMemberships(tx, {
    tenant,
    userIds: gains.map(({ userId }) => userId),
    source: 'admin',
  });
  const usersRoles = gains.flatMap(({ userId, roles }) =>
    [...new Set(roles)].map((role) => ({ userId, role })),
  );
  await addRolesTo(tx, call, tenant, usersRoles);
  const entries = gains.flatMap(({ userId, groups }) => groups.map((group) => ({ userId, group })));
  for (const [group, members] of Map.groupBy(entries, (entry) => entry.group))
    await enterAll(tx, group, { userIds: members.map(({ userId }) => userId) });
}
