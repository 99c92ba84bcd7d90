import type { Call } from '@bailiwick/shared/dispatch.ts';
import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { LockMode } from '@mikro-orm/core';
import { grantsPerSubject, grantsPerTenant } from '../limits.ts';
import { GrantEntity, type SubjectType } from './entities.ts';
import { countGrants } from './queries.ts';
import { families } from './records.ts';

// The rows of grants, without a question about who may: that was asked before.

/** What makes a grant that grant. `subject` is how it is stored, `name` how the API says it: they differ for groups. */
export type GrantKey = {
  tenant: string;
  subjectType: SubjectType;
  subject: string;
  name?: string;
  role: string;
  resource?: string;
};

/** `createdBy` is who gives it, where that is not the caller, and `mappedBy` the provider whose mappings do. */
type NewGrant = GrantKey & { createdBy?: string; mappedBy?: string };

/** Grants a role in the transaction of `em`. Where it is granted already, only its end changes; where that is the same, nothing does. */
export async function addGrant(
  em: EntityManager,
  call: Call,
  sent: NewGrant,
  expiresAt: Date | null = null,
): Promise<void> {
  const { createdBy = call.caller.id, mappedBy = '', ...key } = sent;
  const { tenant, subjectType, subject, role, resource = '' } = key;
  // Who takes it back at this moment is waited for: then it is granted anew, and not given an end that nobody reads.
  const stored = await em.findOne(
    GrantEntity,
    { subjectType, subject, role, resource },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  // What somebody gives by hand stays, whatever a mapping said before.
  if (stored) stored.mappedBy = mappedBy;
  if (stored && stored.expiresAt?.getTime() === expiresAt?.getTime()) return;
  if (!stored && resource !== '') await assertRoom(em, key);
  const grant =
    stored ??
    em.create(GrantEntity, {
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
    });
  const previous = stored ? { ExpiresAt: stored.expiresAt?.toISOString() ?? null } : {};
  grant.expiresAt = expiresAt;
  em.persist(grant);
  recordGrant(em, call, 'added', { ...key, ...grant, subject }, previous);
}

/** Asserts that there is room for one more grant on a resource. Two at once may both find the last place free: at limits like these that is as good. */
async function assertRoom(
  em: EntityManager,
  { tenant, subjectType, subject }: GrantKey,
): Promise<void> {
  const { ofTenant, ofSubject } = await countGrants(
    inTransaction(em),
    tenant,
    subjectType,
    subject,
    grantsPerTenant,
  );
  if (ofTenant >= grantsPerTenant)
    throw failedPrecondition(
      `a tenant has at most ${grantsPerTenant} grants on single resources`,
      'GRANT_LIMIT',
    );
  if (ofSubject >= grantsPerSubject)
    throw failedPrecondition(
      `a ${subjectType} has at most ${grantsPerSubject} grants on single resources in a tenant`,
      'GRANT_LIMIT',
    );
}

/** Takes a grant back; nothing happens where there is none. */
export async function removeGrant(em: EntityManager, call: Call, key: GrantKey): Promise<void> {
  const { subjectType, subject, role, resource = '' } = key;
  // Of several who take it back at once one does, and tells of it.
  const stored = await em.findOne(
    GrantEntity,
    { subjectType, subject, role, resource },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!stored) return;
  em.remove(stored);
  recordGrant(em, call, 'removed', { ...key, ...stored, subject });
}

/** Ends all grants of a subject in the tenant of `em`: it goes, and its grants with it. That is one change, the subject's. */
export async function removeGrantsOf(
  em: EntityManager,
  tenant: string,
  subjectType: SubjectType,
  subject: string,
): Promise<void> {
  await em.nativeDelete(GrantEntity, { tenant, subjectType, subject });
}

/** Removes the grants of a role that goes, in the tenant of `em`. They have expired: nothing changes by it. */
export async function removeGrantsOfRole(
  em: EntityManager,
  tenant: string,
  role: string,
): Promise<void> {
  await em.nativeDelete(GrantEntity, { tenant, role });
}

type Recorded = GrantKey & {
  id: string;
  resource: string;
  expiresAt?: Date | null | undefined;
  createdBy: string;
  createdAt: Date;
};

function recordGrant(
  em: EntityManager,
  call: Call,
  verb: 'added' | 'removed',
  grant: Recorded,
  previous: Record<string, unknown> = {},
): void {
  const { tenant, subjectType, subject, name = subject, role } = grant;
  const { event, encode } = families[subjectType];
  // Whoever holds what a group is granted is not known here.
  call.outdated.add(subjectType === 'group' ? `tenant:${tenant}` : `${subjectType}:${subject}`);
  recordChange(em, call, {
    tenant,
    type: `${event}.${verb}`,
    data: encode({ ...grant, subject: name }),
    previous,
    targets: [
      { Type: subjectType, ID: subject, Name: name === subject ? '' : name },
      { Type: 'role', ID: role, Name: '' },
    ],
  });
}
