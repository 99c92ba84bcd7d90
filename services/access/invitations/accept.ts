import { changedFields } from '@bailiwick/shared/changes.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { findEmail } from '@bailiwick/shared/email.ts';
import { deadToken, denied, failedPrecondition, ssoRequired } from '@bailiwick/shared/errors.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { LockMode } from '@mikro-orm/core';
import { findLacking } from '../decisions/confer.ts';
import { rightsOf } from '../decisions/rights.ts';
import { addGrant } from '../grants/entries.ts';
import { GroupEntity, type GroupRow } from '../groups/entities.ts';
import { enterGroup } from '../groups/members.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { lockRoles } from '../roles/save.ts';
import { lockState } from '../subjects/state.ts';
import { TenantEntity, TenantMemberEntity } from '../tenants/entities.ts';
import { startMembership } from '../tenants/membership.ts';
import type { InvitationRow } from './entities.ts';
import { findByToken, lockByToken, settleInvitation } from './queries.ts';
import { encodeInvitation, recordInvitation } from './records.ts';

/** Makes the caller what the invitation says: member, roles and groups at once, or nothing of it. */
export async function acceptInvitation(
  database: Database,
  token: string,
  call: Call,
): Promise<void> {
  if (tokenKind(token) !== 'invitation') throw deadToken();
  const hash = tokenHash(token);
  const known = await findByToken(database, hash);
  if (!known) throw deadToken();
  // Before the turn: those whom the invitation is not for must not use up the turns of the tenant.
  if (!wasAcceptedBy(known, call.caller.id)) assertOpenTo(known, call);
  const { tenant } = known;
  // By the caller and not by the tenant: an invited person must not keep the tenant's own people waiting.
  await database.transaction({ tenant, row: `user ${tenant} ${call.caller.id}` }, async (em) => {
    await lockCaller(em, call.caller.id);
    await lockActive(em, tenant);
    const row = await lockByToken(inTransaction(em), tenant, hash);
    if (!row) throw deadToken();
    if (await isAnsweredBy(em, row, call.caller.id)) return;
    assertOpenTo(row, call);
    await join(em, row, call);
  });
}

/** Whoever is being deleted must not become a member any more: deleting takes this lock before any other, and leaves a mark. */
async function lockCaller(em: EntityManager, userId: string): Promise<void> {
  if ((await lockState(em, userId))?.state === 'deleted') throw deadToken();
}

/** Members of one tenant are changed one after the other; a tenant that was suspended meanwhile takes nobody. */
async function lockActive(em: EntityManager, id: string): Promise<void> {
  const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (tenant?.status !== 'active') throw deadToken();
}

/** Whether the caller has accepted before and is still a member: saying so again changes nothing. */
async function isAnsweredBy(
  em: EntityManager,
  row: InvitationRow,
  userId: string,
): Promise<boolean> {
  return (
    wasAcceptedBy(row, userId) &&
    (await em.findOne(TenantMemberEntity, { userId, status: { $ne: 'barred' } })) !== null
  );
}

const wasAcceptedBy = (row: InvitationRow, userId: string): boolean =>
  row.status === 'accepted' && row.acceptedBy === userId;

function assertOpenTo(row: InvitationRow, { caller }: Call): void {
  if (row.status !== 'pending') throw deadToken();
  assertInvited(row, caller.email);
}

/** The inviter has seen the token too: it proves nothing, the verified address does. */
function assertInvited({ emailKey }: InvitationRow, verified: string): void {
  const email = findEmail(verified);
  // The key of an invitation that was made before widths were mapped.
  if (email && (email.key === emailKey || email.unmappedKey === emailKey)) return;
  throw denied(
    'this invitation is for another address: sign in with the address that it was sent to',
    'OTHER_ADDRESS',
  );
}

async function join(em: EntityManager, invitation: InvitationRow, call: Call): Promise<void> {
  const { tenant, invitedBy } = invitation;
  const userId = call.caller.id;
  const { roles, groups } = await lockOffer(em, invitation);
  await assertStillGiven(em, invitation, roles, groups);
  const accepted = await settleInvitation(inTransaction(em), invitation, {
    status: 'accepted',
    acceptedBy: userId,
  });
  if (!accepted) throw deadToken();
  const previous = changedFields(encodeInvitation(invitation), encodeInvitation(accepted));
  recordInvitation(em, call, 'invitation.accepted', accepted, { previous });

  // Added in another way meanwhile: the roles and groups come on top, but nobody gets back in who was shut out.
  const known = await em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (known && known.status !== 'active') throw deadToken();
  // Whoever is no member yet could not sign in at the tenant's provider before accepting.
  if (known && (await rightsOf(inTransaction(em), call.caller, tenant)).ssoRequired)
    throw ssoRequired();
  if (!known) await startMembership(em, call, { tenant, userId, source: 'invitation' });
  for (const role of roles)
    await addGrant(em, call, {
      tenant,
      subjectType: 'user',
      subject: userId,
      role,
      createdBy: invitedBy,
    });
  for (const group of groups) await enterGroup(em, call, group, { userId });
}

type Locked = { roles: string[]; groups: GroupRow[] };

/** What there still is of what the invitation offers. It stays as it is until the transaction ends. */
async function lockOffer(em: EntityManager, { roles, groups }: InvitationRow): Promise<Locked> {
  const found: Locked = { roles: [...(await lockRoles(em, roles))], groups: [] };
  for (const { id } of groups) {
    const group = await em.findOne(GroupEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (group) found.groups.push(group);
  }
  return found;
}

/**
 * An invitation is worth what its inviter may give when it is accepted. Otherwise whoever is about to lose their rights
 * could keep them in an invitation, and a group that was granted more since would pass that on.
 */
async function assertStillGiven(
  em: EntityManager,
  invitation: InvitationRow,
  roles: readonly string[],
  groups: readonly GroupRow[],
): Promise<void> {
  const { tenant, inviterType: type, invitedBy: id, inviterNarrowedTo: narrowedTo } = invitation;
  const given = new Set(roles);
  for (const group of groups)
    for (const role of await findGroupRoles(inTransaction(em), tenant, group.id)) given.add(role);
  // How the inviter is signed in now, if at all, is not what this is about.
  const inviter = { type, id, tenant, narrowedTo, ssoTenant: tenant, limitedTo: '' };
  const lacking = await findLacking(inTransaction(em), inviter, tenant, {
    roles: [...given],
    permissions: ['iam.invitations.write'],
  });
  if (lacking !== undefined)
    throw failedPrecondition(
      'whoever sent this invitation may not give any more what it promises: ask for a new one',
      'INVITER_LACKS_RIGHTS',
    );
}
