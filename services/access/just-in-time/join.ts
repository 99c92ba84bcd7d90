import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { JoinRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { giverLater } from '../decisions/delegation.ts';
import { type Directory, findUser } from '../directory.ts';
import { addGrant } from '../grants/entries.ts';
import { GroupEntity, scimSource } from '../groups/entities.ts';
import { pathKey } from '../groups/path.ts';
import { memberRole } from '../permissions/builtin.ts';
import { lockRoles } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { lockState } from '../subjects/state.ts';
import { TenantEntity, TenantMemberEntity } from '../tenants/entities.ts';
import { startMembership } from '../tenants/membership.ts';
import { createHandingOut, type HandingOut } from './handing-out.ts';
import { followMappings } from './mappings.ts';
import { findMappedGroups, noteStatement } from './queries.ts';

export type JoinDeps = { database: Database; directory: Directory; log: Log };

const accountDisabled = () => denied('the account is disabled or deleted', 'ACCOUNT_DISABLED');
const noMember = () => denied('the user is not a member of the tenant', 'NO_MEMBER');

type JoinResult = {
  joined: boolean;
  missing: string[];
  revoked: boolean;
  withheld: string[];
  lacking: string;
};

/**
 * Gives a user whom a provider has recognised the membership, roles and groups that follow from it,
 * all or none.
 */
export async function join(
  { database, directory, log }: JoinDeps,
  request: JoinRequest,
  ssoCall: Call,
): Promise<JoinResult> {
  const { tenant, userId, provider, ip, userAgent } = request;
  const user = await findUser(directory, userId, ssoCall);
  if (!user || user.status === 'disabled') throw accountDisabled();
  // sso calls in its own name. The audit entry needs the IP and user agent of the browser, and the
  // user who asked to join.
  const actor = request.byUser
    ? { type: 'user', id: userId, credentialId: request.sessionId }
    : undefined;
  const call: Call = { ...ssoCall, caller: { ...ssoCall.caller, ...actor, ip, userAgent } };
  const result = await database.transaction(
    { call, tenant, row: rowOf.member(tenant, userId) },
    async (tx): Promise<JoinResult> => {
      await assertActiveUser(tx, userId);
      const defaultRole = await lockDefaultRole(tx, tenant);
      const roles = await lockRoles(tx, [...request.roles, ...request.defaultRoles, defaultRole]);
      const groups = await lockGroups(tx, request);
      const isMember = await lockMember(tx, userId);
      if (!isMember && !request.mayJoin) throw noMember();
      const giver = request.giver && giverLater(tenant, request.giver);
      const handingOut = createHandingOut(tx.query, tenant, giver);
      if (!isMember) {
        const offered = request.defaultRoles.filter((role) => roles.has(role));
        const startRoles = offered.length > 0 ? offered : [defaultRole];
        const createdBy = provider || ssoCall.caller.id;
        await addMember(tx, request, { roles: startRoles, createdBy, handingOut }, call);
      }
      if (provider === '')
        return { joined: !isMember, missing: [], revoked: false, ...handingOut.result() };
      const keys = new Set(groups.map(({ key }) => key));
      const person = { tenant, userId, provider };
      const named = {
        roles: new Set(request.roles.filter((role) => roles.has(role))),
        groups: new Set(request.groups.map(pathKey)),
        keeps: await noteStatement(tx.query, person, request),
      };
      const following = { tx, call, log, person, giver, handingOut };
      const revoked = await followMappings(following, named, groups);
      const missing = [
        ...request.roles.filter((role) => !roles.has(role)),
        ...request.groups.filter((path) => !keys.has(pathKey(path))),
      ];
      return { joined: !isMember, missing, revoked, ...handingOut.result() };
    },
  );
  const { withheld, lacking } = result;
  if (lacking !== '')
    log.warn('the last saver of a provider or a domain may not grant what it names', {
      tenant,
      provider,
      giver: request.giver?.id,
      withheld,
      lacking,
    });
  return result;
}

/** Always the first lock: deleting a user holds it while it goes through tenants. */
async function assertActiveUser(tx: Transaction, userId: string): Promise<void> {
  const subject = await lockState(tx, userId);
  if (subject?.state === 'disabled' || subject?.state === 'deleted') throw accountDisabled();
}

/**
 * Serialises changes of a tenant's members. A tenant closed since the sign-in began accepts no new
 * ones.
 */
async function lockDefaultRole(tx: Transaction, id: string): Promise<string> {
  const tenant = await tx.em.findOne(
    TenantEntity,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (tenant?.status !== 'active') throw noMember();
  return tenant.settings.defaultRole || memberRole;
}

/**
 * The groups named by the mappings now or before, locked against deletion until the transaction
 * ends.
 */
async function lockGroups(tx: Transaction, { tenant, userId, provider, groups }: JoinRequest) {
  if (provider === '') return [];
  const before = await findMappedGroups(tx.query, tenant, userId, provider);
  // A directory alone decides about the members of its groups.
  const which = {
    $or: [{ key: { $in: groups.map(pathKey) } }, { id: { $in: before } }],
    source: { $ne: scimSource },
  };
  return tx.em.find(GroupEntity, which, {
    lockMode: LockMode.PESSIMISTIC_READ,
    orderBy: { id: 'asc' },
  });
}

/** Whether the user is an active member. Throws for a disabled membership. */
async function lockMember(tx: Transaction, userId: string): Promise<boolean> {
  const member = await tx.em.findOne(
    TenantMemberEntity,
    { userId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (member && member.status !== 'active') throw noMember();
  return member !== null;
}

type NewMember = { roles: readonly string[]; createdBy: string; handingOut: HandingOut };

/** Roles that the giver may not grant are left out: the user is a member without them. */
async function addMember(
  tx: Transaction,
  { tenant, userId }: JoinRequest,
  { roles, createdBy, handingOut }: NewMember,
  call: Call,
): Promise<void> {
  await startMembership(tx, { tenant, userId, source: 'sso' });
  for (const role of new Set(roles))
    if (await handingOut.mayGrant(role))
      await addGrant(tx, call, { tenant, subjectType: 'user', subject: userId, role, createdBy });
  // The mappings must find the rows.
  await tx.em.flush();
}
