import { assertRecentLogin } from '@bailiwick/call';
import { type EntityManager, inTransaction } from '@bailiwick/database';
import { failedPrecondition, notFound } from '@bailiwick/errors';
import { type Call } from '@bailiwick/rpc';
import { type Loaded, LockMode } from '@mikro-orm/core';
import { findSubjectGrants, owns } from '../decisions/context.ts';
import { assertMayGrant, assertMayTouch } from '../decisions/delegation.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { TenantMemberEntity } from './entities.ts';
import { lockTenant } from './lock.ts';
import { endMembership, recordMembership } from './membership.ts';
import { countOtherOwners } from './queries.ts';

type Member = Loaded<(typeof TenantMemberEntity)['~entity']>;

type NewStatus = {
  tenant: string;
  userId: string;
  status: 'active' | 'disabled';
  /** Whether the tenant's directory changes the status. */
  byScim?: boolean;
};

/**
 * Disables or enables a member. Grants and groups are kept, since decisions count active members
 * only. The directory may enable whom it has disabled, whatever rights the member gets back.
 */
export async function setMemberStatus(
  em: EntityManager,
  { tenant, userId, status, byScim = false }: NewStatus,
  call: Call,
): Promise<void> {
  await lockTenant(em, tenant);
  const member = await em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!member) throw notFound('tenant member');
  call.invalidates.add(`user:${userId}`);
  if (status === 'disabled' && member.status !== 'active') {
    if (!byScim) hold(em, call, member);
    return;
  }
  if (member.status === status) return;
  if (member.status === 'barred') {
    // The user has left and is not made a member again without consent. Enabling only lets the user
    // rejoin.
    await endMembership(em, call, member);
    return;
  }
  if (status === 'disabled') await assertMayEnd(em, call, { tenant, userId, what: 'disabled' });
  else if (!(byScim && member.disabledBy === 'scim'))
    await assertMayGiveBack(em, call, tenant, userId);
  const previous = { Status: member.status };
  member.status = status;
  member.disabledBy = status === 'disabled' && byScim ? 'scim' : '';
  recordMembership(
    em,
    call,
    status === 'disabled' ? 'tenant.member_disabled' : 'tenant.member_enabled',
    member,
    { previous },
  );
}

/**
 * Keeps the directory from enabling or bringing back a member whom it has disabled, and whom an
 * administrator disables again.
 */
function hold(em: EntityManager, call: Call, member: Member): void {
  if (member.disabledBy === '') return;
  member.disabledBy = '';
  recordMembership(em, call, 'tenant.member_disabled', member);
}

/** Enabling a member restores all its grants, so the caller must be able to make them. */
async function assertMayGiveBack(
  em: EntityManager,
  call: Call,
  tenant: string,
  userId: string,
): Promise<void> {
  const grants = await findSubjectGrants(inTransaction(em), { subject: userId, tenant });
  const roles = grants
    .filter(({ platform, expired }) => !platform && !expired)
    .map(({ role }) => role);
  await assertMayGrant(em, call.caller, tenant, [...new Set(roles)]);
}

type Ended = {
  tenant: string;
  userId: string;
  what: 'removed' | 'disabled';
  isSuspended?: boolean;
};

/**
 * Throws unless the caller may end an owner's membership or rights, and another owner stays. Does
 * nothing for other members.
 */
export async function assertMayEnd(
  em: EntityManager,
  call: Call,
  { tenant, userId, what, isSuspended = false }: Ended,
): Promise<void> {
  const run = inTransaction(em);
  // Checks grants and not their effect: a disabled owner becomes an owner again when enabled.
  if (!owns(await findSubjectGrants(run, { subject: userId, tenant, resources: [''] }))) return;
  // A user can give up the own ownership even if disabled, in a suspended tenant, or without the
  // tenant's SSO.
  const isSelf = call.caller.type === 'user' && call.caller.id === userId;
  if (isSelf) assertRecentLogin(call.caller);
  else await assertMayTouch(em, call.caller, tenant, [ownerRole]);
  // The last owner of a suspended tenant can neither hand it over nor delete it, and might not have
  // asked for it.
  if (isSelf && isSuspended) return;
  if ((await countOtherOwners(run, tenant, userId)) === 0)
    throw failedPrecondition(`the last owner of a tenant cannot be ${what}`, 'LAST_OWNER');
}
