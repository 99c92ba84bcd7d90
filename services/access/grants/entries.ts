import type { Call } from '@bailiwick/shared/dispatch.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { GrantEntity, type SubjectType } from './entities.ts';
import { families } from './records.ts';

export type NewGrant = { tenant: string; subjectType: SubjectType; subject: string; role: string };

/**
 * Grants a role in the transaction of `em`; nothing happens where it is granted already. Whether the caller
 * may confer it was asked before.
 */
export async function addGrant(em: EntityManager, call: Call, { tenant, subjectType, subject, role }: NewGrant): Promise<void> {
  if (await em.findOne(GrantEntity, { subjectType, subject, role, resource: '' })) return;
  const { prefix, event, encode } = families[subjectType];
  const grant = em.create(GrantEntity, {
    tenant,
    id: createId(prefix),
    subjectType,
    subject,
    role,
    resource: '',
    expiresAt: null,
    createdBy: call.caller.id,
    createdAt: new Date(),
  });
  em.persist(grant);
  call.outdated.add(subjectType === 'group' ? `tenant:${tenant}` : `${subjectType}:${subject}`);
  recordChange(em, call, {
    tenant,
    type: `${event}.added`,
    data: encode(grant),
    targets: [
      { Type: subjectType, ID: subject, Name: '' },
      { Type: 'role', ID: role, Name: '' },
    ],
  });
}

/** Ends all grants of a subject in the tenant of `em`: it goes, and its grants with it. That is one change, the subject's. */
export async function removeGrantsOf(em: EntityManager, tenant: string, subjectType: SubjectType, subject: string): Promise<void> {
  await em.nativeDelete(GrantEntity, { tenant, subjectType, subject });
}
