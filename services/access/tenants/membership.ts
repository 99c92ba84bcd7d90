import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { record, recordRevocation, type Task } from '@bailiwick/outbox';
import { TenantMemberSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { removeGrantsOf } from '../grants/entries.ts';
import {
  MappingStatementEntity,
  MembershipOfferEntity,
  TenantMemberEntity,
  type TenantMemberRow,
  toTenantMember,
} from './entities.ts';
import { addActiveMembers, removeMemberships } from './queries.ts';

type NewMembership = {
  tenant: string;
  userId: string;
  source: 'creator' | 'invitation' | 'sso' | 'admin' | 'scim';
};

/**
 * Makes a user an active member, for every way of joining. Deletes a pending offer of the
 * membership.
 */
export const startMembership = (
  tx: Transaction,
  { userId, ...membership }: NewMembership,
): Promise<void> => startMemberships(tx, { ...membership, userIds: [userId] });

/** The same for several users at once. */
export async function startMemberships(
  tx: Transaction,
  {
    tenant,
    userIds,
    source,
  }: Pick<NewMembership, 'tenant' | 'source'> & { userIds: readonly string[] },
): Promise<void> {
  const joinedAt = new Date();
  await addActiveMembers(tx.query, { tenant, userIds, source, joinedAt });
  for (const userId of userIds)
    recordMembership(tx, 'tenant.member_added', {
      tenant,
      userId,
      status: 'active',
      source,
      joinedAt,
    });
}

/** A user who has left is found by the ID only. */
const barred = { status: 'barred', nameKey: '', lastWordKey: '', emailKey: '' };

/**
 * Ends a membership with its groups and grants. `isBarred`: the user cannot rejoin before an
 * administrator agrees.
 */
export async function endMembership(
  tx: Transaction,
  member: TenantMemberRow,
  { isBarred = false } = {},
): Promise<void> {
  const { tenant, userId } = member;
  // The row is deleted first: a concurrent call that adds the user to a group waits for it and then
  // finds no member.
  if (isBarred) await tx.em.nativeUpdate(TenantMemberEntity, { tenant, userId }, barred);
  else await tx.em.nativeDelete(TenantMemberEntity, { tenant, userId });
  // The offer still exists if the previous version made the member.
  await tx.em.nativeDelete(MembershipOfferEntity, { tenant, userId });
  await tx.em.nativeDelete(MappingStatementEntity, { tenant, userId });
  await removeMemberships(tx.query, tenant, userId);
  await removeGrantsOf(tx, tenant, 'user', userId);
  recordMembership(tx, 'tenant.member_removed', member);
}

/**
 * Lets a user who left while disabled become a member again. The caller has checked permissions.
 */
export async function liftBar(
  tx: Transaction,
  { tenant, userId }: { tenant: string; userId: string },
): Promise<void> {
  const lifted = await tx.em.nativeDelete(TenantMemberEntity, { tenant, userId, status: 'barred' });
  // The bar keeps the user's platform grants out of the tenant, and its end has no event.
  if (lifted > 0) recordRevocation(tx, [`user:${userId}`]);
}

type More = { previous?: JsonObject; tasks?: readonly Task[] };

export function recordMembership(
  tx: Transaction,
  type: string,
  member: TenantMemberRow,
  more: More = {},
): void {
  record(tx, {
    tenant: member.tenant,
    type,
    data: encodeJson(TenantMemberSchema, toTenantMember(member)),
    targets: [{ Type: 'user', ID: member.userId, Name: '' }],
    ...more,
  });
}
