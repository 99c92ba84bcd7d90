import { Buffer } from 'node:buffer';
import { normaliseEmail, tokenHash } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import { noticeTask, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { User } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { type Database, type Limiter, onPool, type Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { findLacking, giverLater } from '../decisions/delegation.ts';
import {
  assertInviterIsActive,
  type InviterDeps,
  inviterLacksRights,
} from '../decisions/inviters.ts';
import { shownName } from '../directory.ts';
import { addGrant } from '../grants/entries.ts';
import type { InvitationLimits } from '../limits.ts';
import { memberRole } from '../permissions/builtin.ts';
import { lockRoles } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { assertPresent } from '../subjects/state.ts';
import { MembershipOfferEntity, TenantMemberEntity, type TenantMemberRow } from './entities.ts';
import { lockTenant } from './lock.ts';
import { recordMembership, startMembership } from './membership.ts';
import { isUnaskedOwner } from './owners/queries.ts';
import { acceptOwnership, declineOwnership } from './ownership.ts';
import { findMembershipOrOffer } from './queries.ts';

// A tenant's users cannot add a user without consent: they offer a membership, and the user accepts
// or declines it.

/** The time after a decline in which the tenant cannot ask the user again. */
const declinedMs = 30 * 24 * 60 * 60 * 1000;

type OfferDeps = { limiter: Limiter; limits: InvitationLimits };
type NewOffer = { tenant: string; tenantName: string; user: User; adder: User | undefined };

/**
 * Offers a membership and mails the user. The tenant is locked. A user with a pending offer is not
 * asked again.
 */
export async function offerMembership(
  tx: Transaction,
  deps: OfferDeps,
  { tenant, tenantName, user, adder }: NewOffer,
  call: Call,
): Promise<void> {
  const { type: adderType, id: addedBy, narrowedTo, limitedTo, voucher } = call.caller;
  const from = {
    adderType,
    addedBy,
    adderNarrowedTo: [...narrowedTo],
    adderLimitedTo: limitedTo,
    adderVoucher: voucher,
  };
  const stored = await tx.em.findOne(MembershipOfferEntity, { userId: user.id });
  if (stored?.status === 'pending') {
    // The last adder's rights count: the first one may have left.
    tx.em.assign(stored, from);
    return;
  }
  const now = new Date();
  if (stored && stored.updatedAt.getTime() > now.getTime() - declinedMs) return;
  await deps.limiter.take(`invitations ${tenant}`, deps.limits.tenant, tx.query);
  const tasks = (await mayMail(tx, deps, tenant, user))
    ? [offerMail({ tenant, tenantName, user, adder })]
    : [];
  if (stored) tx.em.assign(stored, { ...from, status: 'pending', updatedAt: now });
  else
    tx.em.persist(
      tx.em.create(MembershipOfferEntity, {
        tenant,
        userId: user.id,
        status: 'pending',
        ...from,
        createdAt: now,
        updatedAt: now,
      }),
    );
  recordMembership(tx, 'tenant.member_proposed', offeredMembership(tenant, user.id), {
    tasks,
  });
}

/**
 * Whether the user gets a mail. A mail over the limits is dropped silently: the user's list shows
 * the offer in any case.
 */
async function mayMail(
  tx: Transaction,
  { limiter, limits }: OfferDeps,
  tenant: string,
  { id, email, emailVerified }: User,
): Promise<boolean> {
  if (!emailVerified) return false;
  const run = tx.query;
  // Withdrawing and repeating an offer must not mail the user again and again. The count outlives a
  // deleted user, so its key is a hash of the user's id.
  const name = Buffer.from(tokenHash(id)).toString('base64url');
  if ((await limiter.use(`offer ${tenant} ${name}`, limits.offers, run)) > 0) return false;
  return (await limiter.use(`mail ${normaliseEmail(email).key}`, limits.mails, run)) === 0;
}

function offerMail({ tenant, tenantName, user, adder }: NewOffer): Task {
  const { email, locale } = user;
  const inviterName = adder ? shownName(adder) : '';
  return noticeTask('membership_pending', email, {
    tenant,
    tenantName,
    inviterName,
    locale,
  });
}

const notAdded = 'the person who added you may no longer add members: ask to be added again';

/**
 * Accepts the caller's offer: grants membership and the tenant's default role, both or neither. For a
 * member, accepts the ownership that others have given.
 */
export async function acceptOffer(deps: InviterDeps, tenant: string, call: Call): Promise<void> {
  const { database } = deps;
  const userId = call.caller.id;
  // Checked before the transaction: strangers must not use up a tenant's transaction slots.
  const row = await findMembershipOrOffer(database, tenant, userId);
  // A version that did not delete a member's offer has left it. Its inviter does not count.
  if (!row.isMember) {
    if (row.offer !== 'pending') throw denied();
    const inviter = { type: row.adderType, id: row.addedBy, tenant };
    await assertInviterIsActive(deps, inviter, notAdded, call);
  }
  // Queued by user and not by tenant: an added user must not delay the tenant's own users.
  await database.transaction({ call, tenant, row: rowOf.member(tenant, userId) }, async (tx) => {
    await assertPresent(tx, userId, 'user');
    const { settings } = await lockTenant(tx, tenant);
    const member = await tx.em.findOne(TenantMemberEntity, { userId });
    if (member?.status === 'active') return acceptOwnership(tx, call, tenant);
    const offer = await tx.em.findOne(MembershipOfferEntity, { userId });
    // A caller without an offer gets the same answer as for a tenant that does not exist.
    if (member || offer?.status !== 'pending') throw denied();
    const role = settings.defaultRole || memberRole;
    await lockRoles(tx, [role]);
    // As with invitations: a user who is about to lose rights must not keep any through a second
    // account.
    const { addedBy: id } = offer;
    const adder = giverLater(tenant, {
      type: offer.adderType,
      id,
      narrowedTo: offer.adderNarrowedTo,
      limitedTo: offer.adderLimitedTo,
      voucher: offer.adderVoucher,
    });
    const lacking = await findLacking(tx.query, adder, tenant, {
      roles: [role],
      permissions: ['iam.users.write'],
    });
    if (lacking !== undefined) throw inviterLacksRights(notAdded);
    await startMembership(tx, { tenant, userId, source: 'admin' });
    await addGrant(tx, call, { tenant, subjectType: 'user', subject: userId, role, createdBy: id });
  });
}

/**
 * Declines the caller's offer, in any status of the tenant, or the ownership that others have given
 * to a member.
 */
export async function declineOffer(database: Database, tenant: string, call: Call): Promise<void> {
  if (await isUnaskedOwner(onPool(database), tenant, call.caller.id))
    return declineOwnership(database, tenant, call);
  const { offer } = await findMembershipOrOffer(database, tenant, call.caller.id);
  if (offer === null) throw denied();
  if (offer === 'declined') return;
  await database.transaction(
    { call, tenant, row: rowOf.member(tenant, call.caller.id) },
    async (tx) => {
      await assertPresent(tx, call.caller.id, 'user');
      if (!(await declineIn(tx, tenant, call))) throw denied();
    },
  );
}

/** Marks the caller's offer as declined. Returns false without an offer. */
export async function declineIn(tx: Transaction, tenant: string, call: Call): Promise<boolean> {
  const userId = call.caller.id;
  const offer = await lockOffer(tx, userId);
  if (offer?.status === 'pending') {
    tx.em.assign(offer, { status: 'declined', updatedAt: new Date() });
    recordMembership(tx, 'tenant.member_declined', offeredMembership(tenant, userId));
  }
  return offer !== null;
}

/** Withdraws a pending offer. Does nothing without an offer. The tenant is locked. */
export async function withdrawOffer(
  tx: Transaction,
  tenant: string,
  userId: string,
): Promise<void> {
  const offer = await lockOffer(tx, userId);
  if (offer?.status !== 'pending') return;
  tx.em.remove(offer);
  recordMembership(tx, 'tenant.member_withdrawn', offeredMembership(tenant, userId));
}

const lockOffer = (tx: Transaction, userId: string) =>
  tx.em.findOne(MembershipOfferEntity, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** The tenant sees only the user's id until the user accepts. */
const offeredMembership = (tenant: string, userId: string): TenantMemberRow => ({
  tenant,
  userId,
  status: 'pending',
  source: 'admin',
  joinedAt: null,
});
