import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { type Origin, recordChange, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { TenantMemberSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { type EntityManager, inTransaction } from '@bailiwick/store';
import { removeGrantsOf } from '../grants/entries.ts';
import {
  MappingStatementEntity,
  MembershipOfferEntity,
  TenantMemberEntity,
  type TenantMemberRow,
  toTenantMember,
} from './entities.ts';
import { removeMemberships } from './queries.ts';

type NewMembership = {
  tenant: string;
  userId: string;
  source: 'creator' | 'invitation' | 'sso' | 'admin' | 'scim';
};

/**
 * Makes a user an active member, for every way of joining. Deletes a pending offer of the
 * membership.
 */
export async function startMembership(
  em: EntityManager,
  call: Call,
  { tenant, userId, source }: NewMembership,
): Promise<void> {
  const member = em.create(TenantMemberEntity, {
    tenant,
    userId,
    status: 'active',
    source,
    joinedAt: new Date(),
  });
  em.persist(member);
  await em.nativeDelete(MembershipOfferEntity, { tenant, userId });
  recordMembership(em, call, 'tenant.member_added', member);
}

/** A user who has left is found by the ID only. */
const barred = { status: 'barred', nameKey: '', lastWordKey: '', emailKey: '' };

/**
 * Ends a membership with its groups and grants. `isBarred`: the user cannot rejoin before an
 * administrator agrees.
 */
export async function endMembership(
  em: EntityManager,
  cause: Origin,
  member: TenantMemberRow,
  { isBarred = false } = {},
): Promise<void> {
  const { tenant, userId } = member;
  // The row is deleted first: a concurrent call that adds the user to a group waits for it and then
  // finds no member.
  if (isBarred) await em.nativeUpdate(TenantMemberEntity, { tenant, userId }, barred);
  else await em.nativeDelete(TenantMemberEntity, { tenant, userId });
  // The offer still exists if the previous version made the member.
  await em.nativeDelete(MembershipOfferEntity, { tenant, userId });
  await em.nativeDelete(MappingStatementEntity, { tenant, userId });
  await removeMemberships(inTransaction(em), tenant, userId);
  await removeGrantsOf(em, tenant, 'user', userId);
  recordMembership(em, cause, 'tenant.member_removed', member);
}

/**
 * Lets a user who left while disabled become a member again. The caller has checked permissions.
 */
export async function liftBar(
  em: EntityManager,
  call: Call,
  { tenant, userId }: { tenant: string; userId: string },
): Promise<void> {
  const lifted = await em.nativeDelete(TenantMemberEntity, { tenant, userId, status: 'barred' });
  // The bar keeps the user's platform grants out of the tenant, and its end has no event.
  if (lifted > 0) call.invalidates.add(`user:${userId}`);
}

type More = { previous?: JsonObject; tasks?: readonly Task[] };

export function recordMembership(
  em: EntityManager,
  cause: Origin,
  type: string,
  member: TenantMemberRow,
  more: More = {},
): void {
  recordChange(em, cause, {
    tenant: member.tenant,
    type,
    data: encodeJson(TenantMemberSchema, toTenantMember(member)),
    targets: [{ Type: 'user', ID: member.userId, Name: '' }],
    ...more,
  });
}
