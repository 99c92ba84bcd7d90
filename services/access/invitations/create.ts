import { domainToASCII } from 'node:url';
import type { TenantInvitationsCreateRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import type { User } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { changedFields, timeAfter } from '@bailiwick/shared/changes.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { type Email, normaliseEmail } from '@bailiwick/shared/email.ts';
import { alreadyExists, invalid, notFound } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import type { Limiter } from '@bailiwick/shared/limits.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import type { KeyRing } from '@bailiwick/shared/seal.ts';
import { mailTask, type Task } from '@bailiwick/shared/tasks.ts';
import { createToken, tokenHash } from '@bailiwick/shared/tokens.ts';
import { LockMode } from '@mikro-orm/core';
import { assertMayConfer, findLacking } from '../decisions/confer.ts';
import { assertUser, type Directory, findUserByEmail } from '../directory.ts';
import { GroupEntity } from '../groups/entities.ts';
import { pathKey } from '../groups/path.ts';
import { findGroupRoles } from '../groups/queries.ts';
import type { InvitationLimits } from '../limits.ts';
import { memberRole } from '../roles/builtin.ts';
import { assertRole } from '../roles/save.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import { liftBar } from '../tenants/membership.ts';
import { InvitationEntity, type InvitedGroup } from './entities.ts';
import { expireInvitation } from './queries.ts';
import { byTime, encodeInvitation, recordInvitation } from './records.ts';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

export type CreateDeps = {
  database: Database;
  directory: Directory;
  keyRing: KeyRing;
  limiter: Limiter;
  limits: InvitationLimits;
};

/** Invites an address, or invites it anew: then the token, the offer and the time are the new ones. Returns the token. */
export async function createInvitation(
  deps: CreateDeps,
  request: TenantInvitationsCreateRequest,
  call: Call,
): Promise<string> {
  const { caller } = call;
  const email = normaliseEmail(request.email);
  const [invited, inviter] = await Promise.all([
    findUserByEmail(deps.directory, email.address, call),
    caller.type === 'user' ? assertUser(deps.directory, caller.id, call) : undefined,
  ]);
  const token = createToken('invitation');
  const expiresAt = new Date(Date.now() + lifetimeMs);
  await deps.database.transaction(
    { tenant: request.tenant, row: `tenant ${request.tenant}` },
    async (em) => {
      const { name, settings } = await lockTenant(em, request.tenant);
      assertDomain(email, settings.inviteDomains ?? []);
      const offer = await assertOffer(em, request, settings.defaultRole || memberRole, call);
      if (invited) await assertNoMember(em, request.tenant, invited.id, call);
      await deps.limiter.take(
        `invitations ${request.tenant}`,
        deps.limits.tenant,
        inTransaction(em),
      );
      // What is too much for one mailbox is dropped without a word: the token is in the answer in any case. An invitation that is
      // refused mails nothing, so it is not counted: nobody uses up the mails of an address for all other tenants.
      const mailing =
        (await deps.limiter.use(`mail ${email.key}`, deps.limits.mails, inTransaction(em))) === 0;
      const mail = () =>
        invitationMail(deps.keyRing, {
          email,
          token,
          expiresAt,
          tenantName: name,
          inviter,
          invited,
        });
      await save(
        em,
        { tenant: request.tenant, email, offer, token, expiresAt, tasks: mailing ? [mail()] : [] },
        call,
      );
    },
  );
  return token;
}

/** Throws for a member. A user who left while disabled is invited by callers who may add members, and may then come back. */
async function assertNoMember(
  em: EntityManager,
  tenant: string,
  userId: string,
  { caller }: Call,
): Promise<void> {
  const member = await em.findOne(TenantMemberEntity, { userId });
  if (!member) return;
  const mayLift =
    member.status === 'barred' &&
    (await findLacking(inTransaction(em), caller, tenant, {
      roles: [],
      permissions: ['iam.users.write'],
    })) === undefined;
  if (!mayLift) throw alreadyExists('Email belongs to a member of the tenant');
  await liftBar(em, tenant, userId);
}

function assertDomain({ domain }: Email, allowed: readonly string[]): void {
  if (allowed.length === 0 || allowed.some((name) => domainToASCII(name).toLowerCase() === domain))
    return;
  throw invalid(
    `Email must be an address at ${allowed.slice(0, 5).join(', ')}${allowed.length > 5 ? ', …' : ''}: the tenant invites nobody else`,
    'INVITE_DOMAIN',
  );
}

type Offer = { roles: string[]; groups: InvitedGroup[] };

/** The roles and groups of an invitation, which are there and which the caller may give. */
async function assertOffer(
  em: EntityManager,
  request: TenantInvitationsCreateRequest,
  defaultRole: string,
  call: Call,
): Promise<Offer> {
  // They are locked in one order, so that two calls never wait for each other.
  const roles = request.roles.length > 0 ? [...new Set(request.roles)].sort() : [defaultRole];
  for (const role of roles) await assertRole(em, role);
  const groups: InvitedGroup[] = [];
  const given = new Set(roles);
  for (const key of [...new Set(request.groups.map(pathKey))].sort()) {
    const group = await em.findOne(GroupEntity, { key }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!group) throw notFound('group');
    groups.push({ id: group.id, path: group.path });
    for (const role of await findGroupRoles(inTransaction(em), request.tenant, group.id))
      given.add(role);
  }
  await assertMayConfer(em, call.caller, request.tenant, [...given]);
  return { roles, groups };
}

type NewInvitation = {
  tenant: string;
  email: Email;
  offer: Offer;
  token: string;
  expiresAt: Date;
  tasks: readonly Task[];
};

async function save(
  em: EntityManager,
  { tenant, email, offer, token, expiresAt, tasks }: NewInvitation,
  call: Call,
): Promise<void> {
  const { type: inviterType, id: invitedBy, narrowedTo } = call.caller;
  const fields = {
    email: email.address,
    ...offer,
    inviterType,
    invitedBy,
    inviterNarrowedTo: [...narrowedTo],
    tokenHash: tokenHash(token),
    expiresAt,
  };
  // The tenant's lock is held: two invitations of one address come here one after the other.
  const stored = await em.findOne(
    InvitationEntity,
    { emailKey: email.key, status: 'pending' },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const expired = stored && (await expireInvitation(inTransaction(em), tenant, stored.id));
  if (expired)
    recordInvitation(em, byTime, 'invitation.expired', expired, {
      previous: { Status: 'pending' },
    });
  if (stored && !expired) {
    const before = encodeInvitation(stored);
    em.assign(stored, { ...fields, updatedAt: timeAfter(stored.updatedAt) });
    return recordInvitation(em, call, 'invitation.created', stored, {
      previous: changedFields(before, encodeInvitation(stored)),
      tasks,
    });
  }
  const now = new Date();
  const row = {
    tenant,
    id: createId('inv'),
    emailKey: email.key,
    status: 'pending' as const,
    ...fields,
    acceptedBy: '',
    createdAt: now,
    updatedAt: now,
  };
  const created = em.create(InvitationEntity, row);
  em.persist(created);
  recordInvitation(em, call, 'invitation.created', created, { tasks });
}

type Mail = {
  email: Email;
  token: string;
  expiresAt: Date;
  tenantName: string;
  inviter: User | undefined;
  invited: User | undefined;
};

function invitationMail(
  keyRing: KeyRing,
  { email, token, expiresAt, tenantName, inviter, invited }: Mail,
): Task {
  // Of an inviter without a name the part of the address that is no link to anywhere. A bot has no name that says who it is.
  const inviterName = inviter
    ? inviter.name || inviter.email.slice(0, inviter.email.lastIndexOf('@'))
    : '';
  const extra = {
    expiresAt: expiresAt.toISOString(),
    tenantName,
    inviterName,
    locale: invited?.locale || inviter?.locale || '',
  };
  return mailTask(
    'TenantInvitations_Task_SendTenantInvitation',
    keyRing,
    { Email: email.address, Token: token },
    extra,
  );
}
