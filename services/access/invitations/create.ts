import { domainToASCII } from 'node:url';
import {
  changedFields,
  createId,
  createToken,
  type Email,
  normaliseEmail,
  timeAfter,
  tokenHash,
} from '@bailiwick/contract';
import { alreadyExists, invalid, notFound } from '@bailiwick/errors';
import { type KeyRing } from '@bailiwick/keys';
import { mailTask, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { TenantInvitationsCreateRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import type { User } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import type { Database, Limiter, Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrant, findLacking } from '../decisions/delegation.ts';
import { assertUser, type Directory, findUserByEmail, shownName } from '../directory.ts';
import { GroupEntity } from '../groups/entities.ts';
import { assertNotScim } from '../groups/managed.ts';
import { pathKey } from '../groups/path.ts';
import { findGroupRoles } from '../groups/queries.ts';
import type { InvitationLimits } from '../limits.ts';
import { memberRole } from '../permissions/builtin.ts';
import { assertRole } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import { liftBar } from '../tenants/membership.ts';
import { InvitationEntity, type InvitedGroup } from './entities.ts';
import { expireInvitation } from './queries.ts';
import { encodeInvitation, expiryOrigin, recordInvitation } from './records.ts';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

export type CreateDeps = {
  database: Database;
  directory: Directory;
  keyRing: KeyRing;
  limiter: Limiter;
  limits: InvitationLimits;
};

/**
 * Creates an invitation of an address, or replaces the token, offer and expiry of a pending one.
 * Returns the token.
 */
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
  const { tenant } = request;
  const { token } = await deps.database.transaction(
    { call, tenant, row: rowOf.tenant(tenant) },
    (tx) => invite(tx, deps, { ...request, email, invited, inviter }, call),
  );
  return token;
}

type InvitationRequest = Pick<TenantInvitationsCreateRequest, 'tenant' | 'roles' | 'groups'> & {
  email: Email;
  /** The user with the address, and the user who invites. */
  invited: User | undefined;
  inviter: User | undefined;
};

/** Like createInvitation, in the transaction of `em`. */
export async function invite(
  tx: Transaction,
  { keyRing, limiter, limits }: Pick<CreateDeps, 'keyRing' | 'limiter' | 'limits'>,
  request: InvitationRequest,
  call: Call,
): Promise<{ id: string; token: string }> {
  const { tenant, email, invited, inviter } = request;
  const token = createToken('invitation');
  const expiresAt = new Date(Date.now() + lifetimeMs);
  const { name, settings } = await lockTenant(tx, tenant);
  assertDomain(email, settings.inviteDomains ?? []);
  const offer = await assertOffer(tx, request, settings.defaultRole || memberRole, call);
  if (invited) await assertNoMember(tx, tenant, invited.id, call);
  const run = tx.query;
  await limiter.take(`invitations ${tenant}`, limits.tenant, run);
  // Mails beyond the limit of an address are dropped silently: the response has the token in any
  // case. A refused invitation sends no mail and is not counted, and one tenant gets a
  // part of the limit only, so that it does not use it up for the others.
  const { each, seconds } = limits.mails;
  const mailing =
    (await limiter.use(`mail ${tenant} ${email.key}`, { count: each, seconds }, run)) === 0 &&
    (await limiter.use(`mail ${email.key}`, limits.mails, run)) === 0;
  const mail = () =>
    invitationMail(keyRing, {
      email,
      token,
      expiresAt,
      tenant,
      tenantName: name,
      inviter,
      invited,
    });
  const tasks = mailing ? [mail()] : [];
  return { id: await save(tx, { tenant, email, offer, token, expiresAt, tasks }, call), token };
}

/**
 * Throws for a member. For a user who left while disabled, a caller who may add members lifts the
 * bar, so that the user can come back.
 */
async function assertNoMember(
  tx: Transaction,
  tenant: string,
  userId: string,
  call: Call,
): Promise<void> {
  const member = await tx.em.findOne(TenantMemberEntity, { userId });
  if (!member) return;
  const mayLift =
    member.status === 'barred' &&
    (await findLacking(tx.query, call.caller, tenant, {
      roles: [],
      permissions: ['iam.users.write'],
    })) === undefined;
  if (!mayLift) throw alreadyExists('Email belongs to a member of the tenant');
  await liftBar(tx, { tenant, userId });
}

function assertDomain({ domain }: Email, allowed: readonly string[]): void {
  if (allowed.length === 0 || allowed.some((name) => domainToASCII(name).toLowerCase() === domain))
    return;
  const domains = allowed.slice(0, 5).join(', ');
  throw invalid(
    `Email must be an address at ${domains}${allowed.length > 5 ? ', …' : ''}: the tenant does not invite other domains`,
    'INVITE_DOMAIN',
    { Domains: domains },
  );
}

type Offer = { roles: string[]; groups: InvitedGroup[] };

/**
 * The roles and groups of an invitation. Asserts that they exist and that the caller may grant
 * them.
 */
async function assertOffer(
  tx: Transaction,
  request: Pick<InvitationRequest, 'tenant' | 'roles' | 'groups'>,
  defaultRole: string,
  call: Call,
): Promise<Offer> {
  // Locks in sorted order, so that two calls never deadlock.
  const roles = request.roles.length > 0 ? [...new Set(request.roles)].sort() : [defaultRole];
  for (const role of roles) await assertRole(tx, role);
  const groups: InvitedGroup[] = [];
  const allRoles = new Set(roles);
  for (const key of [...new Set(request.groups.map(pathKey))].sort()) {
    const group = await tx.em.findOne(
      GroupEntity,
      { key },
      { lockMode: LockMode.PESSIMISTIC_READ },
    );
    if (!group) throw notFound('group');
    assertNotScim(group);
    groups.push({ id: group.id, path: group.path });
    for (const role of await findGroupRoles(tx.query, request.tenant, group.id)) allRoles.add(role);
  }
  await assertMayGrant(tx, call.caller, request.tenant, [...allRoles]);
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

/** Returns the ID of the invitation. */
async function save(
  tx: Transaction,
  { tenant, email, offer, token, expiresAt, tasks }: NewInvitation,
  call: Call,
): Promise<string> {
  const { type: inviterType, id: invitedBy, narrowedTo, limitedTo, voucher } = call.caller;
  const fields = {
    email: email.address,
    ...offer,
    inviterType,
    invitedBy,
    inviterNarrowedTo: [...narrowedTo],
    inviterLimitedTo: limitedTo,
    inviterVoucher: voucher,
    tokenHash: tokenHash(token),
    expiresAt,
  };
  // The tenant's lock is held, so two invitations of one address run one after the other.
  const stored = await tx.em.findOne(
    InvitationEntity,
    { emailKey: email.key, status: 'pending' },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const expired = stored && (await expireInvitation(tx.query, tenant, stored.id));
  if (expired)
    recordInvitation(tx, 'invitation.expired', expired, {
      previous: { Status: 'pending' },
      origin: expiryOrigin,
    });
  if (stored && !expired) {
    const before = encodeInvitation(stored);
    tx.em.assign(stored, { ...fields, updatedAt: timeAfter(stored.updatedAt) });
    recordInvitation(tx, 'invitation.created', stored, {
      previous: changedFields(before, encodeInvitation(stored)),
      tasks,
    });
    return stored.id;
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
  const created = tx.em.create(InvitationEntity, row);
  tx.em.persist(created);
  recordInvitation(tx, 'invitation.created', created, { tasks });
  return created.id;
}

type Mail = {
  email: Email;
  token: string;
  expiresAt: Date;
  tenant: string;
  tenantName: string;
  inviter: User | undefined;
  invited: User | undefined;
};

function invitationMail(
  keyRing: KeyRing,
  { email, token, expiresAt, tenant, tenantName, inviter, invited }: Mail,
): Task {
  // A bot's name would not identify a sender.
  const inviterName = inviter ? shownName(inviter) : '';
  const extra = {
    expiresAt: expiresAt.toISOString(),
    tenant,
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
