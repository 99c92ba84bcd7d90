import type { Email } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import type { ProvisionUserResponse } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { assertMayHandOut, type Source } from '../decisions/sources.ts';
import { addRolesTo } from '../grants/entries.ts';
import { invite } from '../invitations/create.ts';
import { InvitationEntity } from '../invitations/entities.ts';
import { revokeInvitation } from '../invitations/revoke.ts';
import { memberRole } from '../permissions/builtin.ts';
import type { ScimUser } from '../provisioned/entities.ts';
import { type StoredSettings, TenantMemberEntity } from '../tenants/entities.ts';
import { endMembership, liftBar, startMembership } from '../tenants/membership.ts';
import { assertMayEnd, setMemberStatus } from '../tenants/status.ts';
import type { ScimDeps } from './deps.ts';
import { isHeld } from './people.ts';
import { uniqueness } from './protocol/problems.ts';
import type { Place } from './queries.ts';

/** The account of a person: identity's answer, or undefined if identity was not asked. */
export type Account = Pick<ProvisionUserResponse, 'user' | 'vouched' | 'created'> | undefined;

/** `isActive`: undefined = the directory has not said, and the status stays. */
type DesiredMembership = {
  isActive: boolean | undefined;
  email: Email;
  account: Account;
  source: Source;
  settings: StoredSettings;
  place: Place;
  /** Whether the account is known to be no member. */
  isStranger: boolean;
};

/**
 * Makes the membership follow the directory: starts, disables or enables it, or invites the person.
 * The tenant, whose settings these are, and the person are locked. Returns the account of a member,
 * whom the groups of the person get.
 */
export async function settle(
  tx: Transaction,
  deps: ScimDeps,
  person: ScimUser,
  { isActive, email, account, source, settings, place, isStranger }: DesiredMembership,
  call: Call,
): Promise<string | undefined> {
  const { tenant } = person;
  const userId = account?.user?.id ?? person.userId;
  const member = userId === '' || isStranger ? null : await findMember(tx, userId);
  const isKept = member ? isHeld({ ...member, memberStatus: member.status }) : false;
  if (member && (member.status !== 'barred' || isKept)) {
    link(person, userId, place);
    await revoke(tx, person);
    if (member.status === 'barred') return undefined;
    const status = isActive ? 'active' : 'disabled';
    if (isActive !== undefined && member.status !== status && !isKept)
      await setMemberStatus(tx, { tenant, userId, status, source }, call);
    return userId;
  }
  if (isActive === false) await revoke(tx, person);
  if (!isActive || !account) return undefined;
  if (!account.user || !account.vouched) {
    await inviteAgain(tx, deps, person, { email, account, source, settings }, call);
    return undefined;
  }
  await revoke(tx, person);
  link(person, userId, place);
  if (member) await liftBar(tx, { tenant, userId });
  await startMembership(tx, { tenant, userId, source: 'scim' });
  const role = settings.defaultRole || memberRole;
  await assertMayHandOut(tx.query, source, tenant, [role]);
  await addRolesTo(tx, call, tenant, [{ userId, role }]);
  return userId;
}

const findMember = (tx: Transaction, userId: string) =>
  tx.em.findOne(TenantMemberEntity, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** @throws SCIM_UNIQUENESS if another person has the account */
function link(person: ScimUser, userId: string, { isAccountTaken }: Place): void {
  if (person.userId === userId) return;
  if (isAccountTaken) throw uniqueness('another User has the account of this mail address');
  person.userId = userId;
}

/** Invites a person outside of the verified domains, but never again after a refusal. */
async function inviteAgain(
  tx: Transaction,
  deps: ScimDeps,
  person: ScimUser,
  {
    email,
    account,
    source,
    settings,
  }: Pick<DesiredMembership, 'email' | 'account' | 'source' | 'settings'>,
  call: Call,
): Promise<void> {
  const { tenant, invitationId: id } = person;
  const last = id === '' ? null : await tx.em.findOne(InvitationEntity, { id });
  const isForAddress = last?.emailKey === email.key;
  if (isForAddress && last.status === 'declined') return;
  if (isForAddress && last.status === 'pending' && last.expiresAt > new Date()) return;
  if (!isForAddress) await revoke(tx, person);
  const invited = {
    tenant,
    roles: [],
    groups: [],
    email,
    invited: account?.user,
    inviter: undefined,
  };
  person.userId = '';
  // An invitation made by hand keeps its roles and groups, and is the person's from now on.
  const byHand = await tx.em.findOne(
    InvitationEntity,
    { emailKey: email.key, status: 'pending', expiresAt: { $gt: new Date() } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!byHand) {
    const role = settings.defaultRole || memberRole;
    await assertMayHandOut(tx.query, source, tenant, [role]);
  }
  person.invitationId = (byHand ?? (await invite(tx, deps, invited, call))).id;
}

/** Revokes the invitation of the person if it is pending. An expired one is not sent again. */
async function revoke(tx: Transaction, person: ScimUser): Promise<void> {
  const { tenant, invitationId: id } = person;
  const last = id === '' ? null : await tx.em.findOne(InvitationEntity, { id });
  const isOver = last?.status === 'pending' && last.expiresAt <= new Date();
  if (isOver || last?.status === 'expired') person.invitationId = '';
  else if (last?.status === 'pending') await revokeInvitation(tx, tenant, last.emailKey);
}

/**
 * Ends the membership and the invitation of a person whom the directory deletes. If an administrator
 * has disabled the member, provisioning the person again does not bring the member back.
 */
export async function deprovision(
  tx: Transaction,
  person: ScimUser,
  { call, source }: { call: Call; source: Source },
): Promise<void> {
  const { tenant, userId } = person;
  await revoke(tx, person);
  const member = userId === '' ? null : await findMember(tx, userId);
  if (!member || member.status === 'barred') return;
  await assertMayEnd(tx, call, { tenant, userId, what: 'removed', source });
  await endMembership(tx, member, {
    isBarred: isHeld({ ...member, memberStatus: member.status }),
  });
}
