import type { RightsKey } from '@bailiwick/broker';
import { createId, type Origin } from '@bailiwick/contract';
import { limitReached } from '@bailiwick/errors';
import { type Change, record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { grantsPerSubject, grantsPerTenant } from '../limits.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { GrantEntity, type SubjectType } from './entities.ts';
import { addNewRoles, countGrants } from './queries.ts';
import { families } from './records.ts';

// Writes grant rows. Callers have checked permissions before.

/**
 * The identity of a grant. `subject` is the stored key, `name` the API's spelling: they differ for
 * groups.
 */
export type GrantKey = {
  tenant: string;
  subjectType: SubjectType;
  subject: string;
  name?: string;
  role: string;
  resource?: string;
};

/** The cause of a change of rights: a call, or background work. */
export type RightsCause = Origin & Pick<Call, 'invalidates'>;

/**
 * `createdBy`: the granter, if not the caller. `mappedBy`: the provider whose mappings grant it.
 * `reason`: why, for the audit. `tasks`: the mails about it.
 */
type NewGrant = GrantKey & { createdBy?: string; mappedBy?: string } & Pick<
    Change,
    'reason' | 'tasks'
  >;

/**
 * Grants a role in the transaction of `em`. For an existing grant it only changes the expiry, if
 * that differs. Returns whether it has recorded a change.
 */
export async function addGrant(
  tx: Transaction,
  call: Call,
  newGrant: NewGrant,
  expiresAt: Date | null = null,
): Promise<boolean> {
  const { createdBy = call.caller.id, mappedBy = '', reason, tasks, ...key } = newGrant;
  const { tenant, subjectType, subject, role, resource = '' } = key;
  // Locks the row, so that a concurrent revocation ends first. The role is then granted again,
  // instead of changing the expiry of a deleted row.
  const stored = await tx.em.findOne(
    GrantEntity,
    { subjectType, subject, role, resource },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  // A grant made by hand is no longer managed by mappings.
  if (stored) stored.mappedBy = mappedBy;
  // Owners who are named by others are not bound before they accept.
  const unasked = isOwnership(key) && !isOwn(call, subject);
  if (stored && !unasked) stored.unasked = false;
  if (stored && stored.expiresAt?.getTime() === expiresAt?.getTime()) {
    // An earlier call may have brought the expiry forward.
    if (expiresAt) call.invalidates.add(rightsKeyOf(key));
    return false;
  }
  if (!stored && resource !== '') await assertRoom(tx, key);
  const grant =
    stored ??
    tx.em.create(GrantEntity, {
      tenant,
      id: createId(families[subjectType].prefix),
      subjectType,
      subject,
      role,
      resource,
      expiresAt,
      createdBy,
      createdAt: new Date(),
      mappedBy,
      unasked,
    });
  const previous = stored ? { ExpiresAt: stored.expiresAt?.toISOString() ?? null } : {};
  grant.expiresAt = expiresAt;
  tx.em.persist(grant);
  recordGrant(
    tx,
    'added',
    { ...key, ...grant, subject },
    {
      previous,
      ...(reason !== undefined && { reason }),
      ...(tasks && { tasks }),
    },
  );
  return true;
}

/**
 * Grants users roles in the whole tenant, without an end. Those that they do not have yet, which are
 * nearly all of a new member, take one statement.
 */
export async function addRolesTo(
  tx: Transaction,
  call: Call,
  tenant: string,
  usersRoles: ReadonlyArray<{ userId: string; role: string }>,
): Promise<void> {
  const createdAt = new Date();
  const createdBy = call.caller.id;
  const keyOf = (userId: string, role: string) =>
    ({ tenant, subjectType: 'user', subject: userId, role, resource: '' }) as const;
  const roles = usersRoles.map(({ userId, role }) => ({
    id: createId(families.user.prefix),
    userId,
    role,
    unasked: isOwnership(keyOf(userId, role)) && !isOwn(call, userId),
  }));
  const newIds = await addNewRoles(tx.query, { tenant, roles, createdBy, createdAt });
  for (const { id, userId, role } of roles) {
    const key = keyOf(userId, role);
    if (newIds.has(id)) recordGrant(tx, 'added', { ...key, id, createdBy, createdAt });
    else await addGrant(tx, call, key);
  }
}

const isOwnership = ({ tenant, subjectType, role, resource = '' }: GrantKey): boolean =>
  tenant !== '' && subjectType === 'user' && role === ownerRole && resource === '';

const isOwn = ({ caller }: Call, subject: string): boolean =>
  caller.type === 'user' && caller.id === subject;

/**
 * Throws if the limit of grants on resources is reached. Two calls at once may both take the last
 * place, which does not matter at such limits.
 */
async function assertRoom(
  tx: Transaction,
  { tenant, subjectType, subject }: GrantKey,
): Promise<void> {
  const { ofTenant, ofSubject } = await countGrants(
    tx.query,
    tenant,
    subjectType,
    subject,
    grantsPerTenant,
  );
  if (ofTenant >= grantsPerTenant)
    throw limitReached(
      `a tenant has at most ${grantsPerTenant} grants on single resources`,
      grantsPerTenant,
    );
  if (ofSubject >= grantsPerSubject)
    throw limitReached(
      `a ${subjectType} has at most ${grantsPerSubject} grants on single resources in a tenant`,
      grantsPerSubject,
    );
}

/**
 * Revokes a grant. Without a grant it only invalidates. `tasks`: the mails about it. Returns whether
 * there was a grant.
 */
export async function removeGrant(
  tx: Transaction,
  call: RightsCause,
  key: GrantKey,
  tasks: NonNullable<Change['tasks']> = [],
): Promise<boolean> {
  const { subjectType, subject, role, resource = '' } = key;
  // Locks the row, so that only one of several concurrent calls revokes the grant and records the
  // event.
  const stored = await tx.em.findOne(
    GrantEntity,
    { subjectType, subject, role, resource },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  // Even without a grant: the call that has revoked it may not have replied yet.
  call.invalidates.add(rightsKeyOf(key));
  if (!stored) return false;
  tx.em.remove(stored);
  recordGrant(tx, 'removed', { ...key, ...stored, subject }, { tasks });
  return true;
}

/**
 * Deletes all grants of a subject in the tenant of `em`. Records no event: the deletion of the
 * subject implies it.
 */
export async function removeGrantsOf(
  tx: Transaction,
  tenant: string,
  subjectType: SubjectType,
  subject: string,
): Promise<void> {
  await tx.em.nativeDelete(GrantEntity, { tenant, subjectType, subject });
}

/**
 * Deletes the grants of a deleted role in the tenant of `em`. They have expired, so no rights
 * change.
 */
export async function removeGrantsOfRole(
  tx: Transaction,
  tenant: string,
  role: string,
): Promise<void> {
  await tx.em.nativeDelete(GrantEntity, { tenant, role });
}

type GrantChange = GrantKey & {
  id: string;
  resource: string;
  expiresAt?: Date | null | undefined;
  createdBy: string;
  createdAt: Date;
};

/** The members affected by a group's grant are not known here. */
const rightsKeyOf = ({ tenant, subjectType, subject }: GrantKey): RightsKey =>
  subjectType === 'group' ? `tenant:${tenant}` : `${subjectType}:${subject}`;

function recordGrant(
  tx: Transaction,
  verb: 'added' | 'removed',
  grant: GrantChange,
  more: Pick<Change, 'previous' | 'reason' | 'tasks'> = {},
): void {
  const { tenant, subjectType, subject, name = subject, role } = grant;
  const { event, encode } = families[subjectType];
  record(tx, {
    tenant,
    type: `${event}.${verb}`,
    data: encode({ ...grant, subject: name }),
    ...more,
    targets: [
      { Type: subjectType, ID: subject, Name: name === subject ? '' : name },
      { Type: 'role', ID: role, Name: '' },
    ],
  });
}
