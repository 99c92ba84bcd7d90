import { type Database, type EntityManager, inTransaction } from '@bailiwick/database';
import { denied } from '@bailiwick/errors';
import type { JoinRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { type Call } from '@bailiwick/rpc';
import { type Log } from '@bailiwick/telemetry';
import { LockMode } from '@mikro-orm/core';
import { type Directory, findUser } from '../directory.ts';
import { addGrant } from '../grants/entries.ts';
import { GroupEntity, scimSource } from '../groups/entities.ts';
import { pathKey } from '../groups/path.ts';
import { memberRole } from '../permissions/builtin.ts';
import { lockRoles } from '../roles/save.ts';
import { lockState } from '../subjects/state.ts';
import { TenantEntity, TenantMemberEntity } from '../tenants/entities.ts';
import { startMembership } from '../tenants/membership.ts';
import { followMappings } from './mappings.ts';
import { findMappedGroups, noteStatement } from './queries.ts';

export type JoinDeps = { database: Database; directory: Directory; log: Log };

const accountDisabled = () => denied('the account is disabled or gone', 'ACCOUNT_DISABLED');
const noMember = () => denied('the user is not a member of the tenant', 'NO_MEMBER');

/**
 * Gives a user whom a provider has recognised the membership, roles and groups that follow from it,
 * all or none.
 */
export async function join(
  { database, directory, log }: JoinDeps,
  request: JoinRequest,
  sent: Call,
): Promise<{ joined: boolean; missing: string[]; revoked: boolean }> {
  const { tenant, userId, provider, ip, userAgent } = request;
  const user = await findUser(directory, userId, sent);
  if (!user || user.status === 'disabled') throw accountDisabled();
  // sso calls in its own name. The audit entry needs the IP and user agent of the browser, and the
  // user who asked to join.
  const actor = request.byUser
    ? { type: 'user', id: userId, credentialId: request.sessionId }
    : undefined;
  const call: Call = { ...sent, caller: { ...sent.caller, ...actor, ip, userAgent } };
  return database.transaction({ tenant, row: `user ${tenant} ${userId}` }, async (em) => {
    await assertAdmitted(em, userId);
    const defaultRole = await lockDefaultRole(em, tenant);
    const roles = await lockRoles(em, [...request.roles, ...request.defaultRoles, defaultRole]);
    const groups = await lockGroups(em, request);
    const isMember = await lockMember(em, userId);
    if (!isMember && !request.mayJoin) throw noMember();
    if (!isMember) {
      const offered = request.defaultRoles.filter((role) => roles.has(role));
      const createdBy = provider || sent.caller.id;
      const start = { roles: offered.length > 0 ? offered : [defaultRole], createdBy };
      await addMember(em, request, start, call);
    }
    if (provider === '') return { joined: !isMember, missing: [], revoked: false };
    const keys = new Set(groups.map(({ key }) => key));
    const person = { tenant, userId, provider };
    const named = {
      roles: new Set(request.roles.filter((role) => roles.has(role))),
      groups: new Set(request.groups.map(pathKey)),
      keeps: await noteStatement(inTransaction(em), person, request),
    };
    const revoked = await followMappings({ em, call, log, person }, named, groups);
    const missing = [
      ...request.roles.filter((role) => !roles.has(role)),
      ...request.groups.filter((path) => !keys.has(pathKey(path))),
    ];
    return { joined: !isMember, missing, revoked };
  });
}

/** Always the first lock: deleting a user holds it while it goes through tenants. */
async function assertAdmitted(em: EntityManager, userId: string): Promise<void> {
  const known = await lockState(em, userId);
  if (known?.state === 'disabled' || known?.state === 'deleted') throw accountDisabled();
}

/**
 * Serialises changes of a tenant's members. A tenant closed since the sign-in began accepts no new
 * ones.
 */
async function lockDefaultRole(em: EntityManager, id: string): Promise<string> {
  const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (tenant?.status !== 'active') throw noMember();
  return tenant.settings.defaultRole || memberRole;
}

/**
 * The groups named by the mappings now or before, locked against deletion until the transaction
 * ends.
 */
async function lockGroups(em: EntityManager, { tenant, userId, provider, groups }: JoinRequest) {
  if (provider === '') return [];
  const before = await findMappedGroups(inTransaction(em), tenant, userId, provider);
  // A directory alone decides about the members of its groups.
  const which = {
    $or: [{ key: { $in: groups.map(pathKey) } }, { id: { $in: before } }],
    source: { $ne: scimSource },
  };
  return em.find(GroupEntity, which, {
    lockMode: LockMode.PESSIMISTIC_READ,
    orderBy: { id: 'asc' },
  });
}

/** Whether the user is an active member. Throws for a disabled membership. */
async function lockMember(em: EntityManager, userId: string): Promise<boolean> {
  const member = await em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (member && member.status !== 'active') throw noMember();
  return member !== null;
}

async function addMember(
  em: EntityManager,
  { tenant, userId }: JoinRequest,
  { roles, createdBy }: { roles: readonly string[]; createdBy: string },
  call: Call,
): Promise<void> {
  await startMembership(em, call, { tenant, userId, source: 'sso' });
  for (const role of new Set(roles))
    await addGrant(em, call, { tenant, subjectType: 'user', subject: userId, role, createdBy });
  // The mappings must find the rows.
  await em.flush();
}
