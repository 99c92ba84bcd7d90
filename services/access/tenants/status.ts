import { assertRecentLogin } from '@bailiwick/contract';
import { failedPrecondition, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { type Loaded, LockMode } from '@mikro-orm/core';
import { findSubjectGrants, owns } from '../decisions/context.ts';
import { assertMayGrant, assertMayTake, isOneself, rolesOf } from '../decisions/delegation.ts';
import { assertMayHandOut, ownerProtected, reportEnd, type Source } from '../decisions/sources.ts';
import { TenantMemberEntity } from './entities.ts';
import { lockTenant } from './lock.ts';
import { endMembership, recordMembership } from './membership.ts';
import { countOtherOwners, isUnaskedOwner } from './owners/queries.ts';

type Member = Loaded<(typeof TenantMemberEntity)['~entity']>;

type NewStatus = {
  tenant: string;
  userId: string;
  status: 'active' | 'disabled';
  /** The directory that changes the status; undefined = by hand. */
  source?: Source | undefined;
};

/**
 * Disables or enables a member. Grants and groups are kept, since decisions count active members
 * only.
 */
export async function setMemberStatus(
  tx: Transaction,
  { tenant, userId, status, source }: NewStatus,
  call: Call,
): Promise<void> {
  await lockTenant(tx, tenant);
  const member = await tx.em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!member) throw notFound('tenant member');
  // Even if the status stays: the call that has set it may not have replied yet.
  call.invalidates.add(`user:${userId}`);
  if (status === 'disabled' && member.status !== 'active') {
    if (source) return;
    await assertMayEnd(tx, call, { tenant, userId, what: 'disabled', source });
    hold(tx, member);
    return;
  }
  if (member.status === status) return;
  if (member.status === 'barred') {
    // The user has left and is not made a member again without consent. Enabling only lets the user
    // rejoin.
    await endMembership(tx, member);
    return;
  }
  if (status === 'disabled')
    await assertMayEnd(tx, call, { tenant, userId, what: 'disabled', source });
  else await assertMayGiveBack(tx, call, { tenant, userId, source });
  const previous = { Status: member.status };
  member.status = status;
  member.disabledBy = status === 'disabled' && source ? 'scim' : '';
  recordMembership(
    tx,
    status === 'disabled' ? 'tenant.member_disabled' : 'tenant.member_enabled',
    member,
    { previous },
  );
}

/**
 * Keeps the directory from enabling or bringing back a member whom it has disabled, and whom an
 * administrator disables again.
 */
function hold(tx: Transaction, member: Member): void {
  if (member.disabledBy === '') return;
  member.disabledBy = '';
  recordMembership(tx, 'tenant.member_disabled', member);
}

/** Enabling a member restores all its rights, so the giver must be able to grant them. */
async function assertMayGiveBack(
  tx: Transaction,
  call: Call,
  { tenant, userId, source }: Omit<NewStatus, 'status'>,
): Promise<void> {
  const roles = await rolesOf(tx.query, { tenant, type: 'user', id: userId });
  if (source) await assertMayHandOut(tx.query, source, tenant, roles);
  // The grants keep their own ends.
  else await assertMayGrant(tx, call.caller, tenant, roles, new Date());
}

type MembershipEnd = {
  tenant: string;
  userId: string;
  what: 'removed' | 'disabled';
  isSuspended?: boolean;
  /** The directory that ends the membership; undefined = by hand. */
  source?: Source | undefined;
};

/**
 * Throws unless the caller may end a membership, and another owner stays: by hand, the
 * membership of a holder of rights is ended only by a caller who may grant them. A directory may end any but an owner's,
 * and the owners learn of it if its maker could not grant what the member holds.
 */
export async function assertMayEnd(
  tx: Transaction,
  call: Call,
  { tenant, userId, what, isSuspended = false, source }: MembershipEnd,
): Promise<void> {
  const run = tx.query;
  // Checks grants and not their effect: a disabled owner becomes an owner again when enabled.
  const roles = await rolesOf(run, { tenant, type: 'user', id: userId });
  const isOwner = owns(await findSubjectGrants(run, { subject: userId, tenant, resources: [''] }));
  if (source) {
    if (isOwner) throw ownerProtected(userId);
    return reportEnd(tx, source, { tenant, userIds: [userId], roles });
  }
  // A user can give up the own rights even if disabled, in a suspended tenant, or without the
  // tenant's SSO.
  const isSelf = isOneself(call.caller, userId);
  if (!isSelf) await assertMayTake(tx, call.caller, tenant, roles);
  else if (isOwner) assertRecentLogin(call.caller);
  // Ownership that was given unasked does not bind its holder.
  if (!isOwner || (await isUnaskedOwner(run, tenant, userId))) return;
  // The last owner of a suspended tenant can neither hand it over nor delete it, and might not have
  // asked for it.
  if (isSelf && isSuspended) return;
  if ((await countOtherOwners(run, tenant, userId)) === 0)
    throw failedPrecondition(`the last owner of a tenant cannot be ${what}`, 'LAST_OWNER');
}
