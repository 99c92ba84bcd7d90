import {
  changedFields,
  findEmail,
  sessionRefusal,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import { deadToken, denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { findLacking, giverLater } from '../decisions/delegation.ts';
import {
  assertInviterIsActive,
  type InviterDeps,
  inviterLacksRights,
} from '../decisions/inviters.ts';
import { rightsOf } from '../decisions/rights.ts';
import { addGrant } from '../grants/entries.ts';
import { GroupEntity, type GroupRow } from '../groups/entities.ts';
import { enterGroup } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { joinAsInvited } from '../provisioned/enter.ts';
import { lockRoles } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { lockState } from '../subjects/state.ts';
import { TenantEntity, TenantMemberEntity } from '../tenants/entities.ts';
import { startMembership } from '../tenants/membership.ts';
import type { InvitationRow } from './entities.ts';
import { findByToken, lockByToken, settleInvitation } from './queries.ts';
import { encodeInvitation, recordInvitation } from './records.ts';

/** Gives the caller the membership, roles and groups of the invitation, all or none. */
export async function acceptInvitation(
  deps: InviterDeps,
  token: string,
  call: Call,
): Promise<void> {
  const { database } = deps;
  if (tokenKind(token) !== 'invitation') throw deadToken();
  const hash = tokenHash(token);
  const invitation = await findByToken(database, hash);
  if (!invitation) throw deadToken();
  // Checked before the transaction: strangers must not use up a tenant's transaction slots.
  const { tenant, inviterType: type, invitedBy: id } = invitation;
  if (!wasAcceptedBy(invitation, call.caller.id)) {
    assertOpenTo(invitation, call);
    await assertInviterIsActive(deps, { type, id, tenant }, notGiven, call);
  }
  // Queued by caller and not by tenant: an invited user must not delay the tenant's own users.
  await database.transaction(
    { call, tenant, row: rowOf.member(tenant, call.caller.id) },
    async (tx) => {
      await lockCaller(tx, call.caller.id);
      await lockActive(tx, tenant);
      const row = await lockByToken(tx.query, tenant, hash);
      if (!row) throw deadToken();
      if (await isAnsweredBy(tx, row, call.caller.id)) return;
      assertOpenTo(row, call);
      await join(tx, row, call);
    },
  );
}

/**
 * A user who is being deleted must not become a member. Deletion takes this lock before any other,
 * and leaves a mark.
 */
async function lockCaller(tx: Transaction, userId: string): Promise<void> {
  if ((await lockState(tx, userId))?.state === 'deleted') throw deadToken();
}

/** Serialises changes of a tenant's members. A tenant suspended meanwhile accepts no new ones. */
async function lockActive(tx: Transaction, id: string): Promise<void> {
  const tenant = await tx.em.findOne(
    TenantEntity,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (tenant?.status !== 'active') throw deadToken();
}

/**
 * Whether the caller accepted the invitation before and is still a member: repeating the call
 * changes nothing.
 */
async function isAnsweredBy(tx: Transaction, row: InvitationRow, userId: string): Promise<boolean> {
  return (
    wasAcceptedBy(row, userId) &&
    (await tx.em.findOne(TenantMemberEntity, { userId, status: { $ne: 'barred' } })) !== null
  );
}

const wasAcceptedBy = (row: InvitationRow, userId: string): boolean =>
  row.status === 'accepted' && row.acceptedBy === userId;

function assertOpenTo(row: InvitationRow, { caller }: Call): void {
  if (row.status !== 'pending') throw deadToken();
  assertInvited(row, caller.email);
}

/**
 * The inviter knows the token too, so the token alone proves nothing. The verified address does.
 */
function assertInvited({ emailKey }: InvitationRow, verified: string): void {
  const email = findEmail(verified);
  // Invitations created before character widths were mapped have the unmapped key.
  if (email && (email.key === emailKey || email.unmappedKey === emailKey)) return;
  throw denied(
    'this invitation is for another address: sign in with the address that it was sent to',
    'OTHER_ADDRESS',
  );
}

async function join(tx: Transaction, invitation: InvitationRow, call: Call): Promise<void> {
  const { tenant, invitedBy } = invitation;
  const userId = call.caller.id;
  const { roles, groups } = await lockOffer(tx, invitation);
  await assertStillGiven(tx, invitation, roles, groups);
  const accepted = await settleInvitation(tx.query, invitation, {
    status: 'accepted',
    acceptedBy: userId,
  });
  if (!accepted) throw deadToken();
  const previous = changedFields(encodeInvitation(invitation), encodeInvitation(accepted));
  recordInvitation(tx, 'invitation.accepted', accepted, { previous });

  // The user may have become a member in another way meanwhile. The roles and groups are added
  // then, unless the membership is disabled.
  const member = await tx.em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (member && member.status !== 'active') throw deadToken();
  // A user who was not a member could not sign in at the tenant's provider before accepting.
  const rights = member && (await rightsOf(tx.query, call.caller, tenant));
  const refusal = rights && sessionRefusal(call.caller.ssoTenant, rights.refusal);
  if (refusal) throw refusal;
  if (!member) await startMembership(tx, { tenant, userId, source: 'invitation' });
  for (const role of roles)
    await addGrant(tx, call, {
      tenant,
      subjectType: 'user',
      subject: userId,
      role,
      createdBy: invitedBy,
    });
  for (const group of groups) await enterGroup(tx, group, { userId });
  await joinAsInvited(tx, invitation.id, userId);
}

const notGiven = 'the inviter can no longer grant the invited roles: ask for a new invitation';

type LockedOffer = { roles: string[]; groups: GroupRow[] };

/** The roles and groups of the invitation that still exist, locked until the transaction ends. */
async function lockOffer(tx: Transaction, { roles, groups }: InvitationRow): Promise<LockedOffer> {
  const offer: LockedOffer = { roles: [...(await lockRoles(tx, roles))], groups: [] };
  for (const { id } of groups) {
    const group = await tx.em.findOne(GroupEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (group) offer.groups.push(group);
  }
  return offer;
}

/**
 * The inviter must still be able to grant the roles and groups when the invitation is accepted.
 * Otherwise a user about to lose rights could keep them in an invitation, and a group that gained
 * roles since would pass them on.
 */
async function assertStillGiven(
  tx: Transaction,
  invitation: InvitationRow,
  roles: readonly string[],
  groups: readonly GroupRow[],
): Promise<void> {
  const { tenant } = invitation;
  const allRoles = new Set(roles);
  for (const group of groups)
    for (const role of await findGroupRoles(tx.query, tenant, group.id)) allRoles.add(role);
  const inviter = giverLater(tenant, {
    type: invitation.inviterType,
    id: invitation.invitedBy,
    narrowedTo: invitation.inviterNarrowedTo,
    limitedTo: invitation.inviterLimitedTo,
    voucher: invitation.inviterVoucher,
  });
  const lacking = await findLacking(tx.query, inviter, tenant, {
    roles: [...allRoles],
    permissions: ['iam.invitations.write'],
  });
  if (lacking !== undefined) throw inviterLacksRights(notGiven);
}
