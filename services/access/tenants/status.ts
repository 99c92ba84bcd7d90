import { assertRecentLogin } from '@bailiwick/shared/caller.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { failedPrecondition, notFound } from '@bailiwick/shared/errors.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { LockMode } from '@mikro-orm/core';
import { assertMayConfer, assertMayTouch } from '../decisions/confer.ts';
import { findHeld, owns } from '../decisions/held.ts';
import { ownerRole } from '../roles/builtin.ts';
import { TenantMemberEntity } from './entities.ts';
import { lockTenant } from './lock.ts';
import { endMembership, recordMembership } from './membership.ts';
import { countOtherOwners } from './queries.ts';

type NewStatus = { tenant: string; userId: string; status: 'active' | 'disabled' };

/** Disables a member or enables it again. Grants and groups stay; decisions count active members only. */
export async function setMemberStatus(
  em: EntityManager,
  { tenant, userId, status }: NewStatus,
  call: Call,
): Promise<void> {
  await lockTenant(em, tenant);
  const member = await em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!member) throw notFound('tenant member');
  if (member.status === status) return;
  if (member.status === 'barred') {
    // The person has left and is not made a member again without consent: enabling only lets them come back.
    if (status === 'active') await endMembership(em, call, member);
    return;
  }
  if (status === 'disabled') await assertMayEnd(em, call, { tenant, userId, what: 'disabled' });
  else await assertMayGiveBack(em, call, tenant, userId);
  const previous = { Status: member.status };
  member.status = status;
  recordMembership(
    em,
    call,
    status === 'disabled' ? 'tenant.member_disabled' : 'tenant.member_enabled',
    member,
    { previous },
  );
}

/** Enabling a member confers everything that the member was granted. */
async function assertMayGiveBack(
  em: EntityManager,
  call: Call,
  tenant: string,
  userId: string,
): Promise<void> {
  const held = await findHeld(inTransaction(em), { subject: userId, tenant });
  const roles = held
    .filter(({ platform, expired }) => !platform && !expired)
    .map(({ role }) => role);
  await assertMayConfer(em, call.caller, tenant, [...new Set(roles)]);
}

type Ended = {
  tenant: string;
  userId: string;
  what: 'removed' | 'disabled';
  isSuspended?: boolean;
};

/** Throws unless the caller may end an owner's membership or rights, and another owner stays. Members who own nothing are not protected. */
export async function assertMayEnd(
  em: EntityManager,
  call: Call,
  { tenant, userId, what, isSuspended = false }: Ended,
): Promise<void> {
  const run = inTransaction(em);
  // By what is granted and not by what counts at present: a disabled owner is one again when they are enabled.
  if (!owns(await findHeld(run, { subject: userId, tenant, resources: [''] }))) return;
  // Users can give up their own ownership even if they are disabled, the tenant is suspended, or they lack its single sign-on.
  const isSelf = call.caller.type === 'user' && call.caller.id === userId;
  if (isSelf) assertRecentLogin(call.caller);
  else await assertMayTouch(em, call.caller, tenant, [ownerRole]);
  // The last owner of a suspended tenant can neither hand it over nor delete it, and might not have asked for it.
  if (isSelf && isSuspended) return;
  if ((await countOtherOwners(run, tenant, userId)) === 0)
    throw failedPrecondition(`the last owner of a tenant cannot be ${what}`, 'LAST_OWNER');
}
