import { type Origin, serviceOrigin } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { isBotId } from '../directory.ts';
import { removeGrantsOf } from '../grants/entries.ts';
import { forgetPerson } from '../provisioned/forget.ts';
import { MembershipOfferEntity, TenantEntity, TenantMemberEntity } from '../tenants/entities.ts';
import { endMembership } from '../tenants/membership.ts';
import { removeMemberships } from '../tenants/queries.ts';
import { findTraces, findUnfinished } from './queries.ts';

/**
 * Removes the memberships, groups and grants of a user or bot that is marked as deleted, tenant by
 * tenant. Rows from before the mark are found here, and after it none are added.
 */
export async function removeSubject(
  database: Database,
  subject: string,
  origin: Origin,
): Promise<void> {
  for (const tenant of await findTraces(database, subject))
    await database.transaction(tenant, (em) => removeFrom(em, { tenant, subject }, origin));
}

/** Removes the rows of deleted subjects whose event did not arrive. */
export async function finishRemovals(database: Database, log: Log): Promise<void> {
  const origin = serviceOrigin('access', 'Users_Delete');
  for (const subject of await findUnfinished(database)) {
    // A failure for one subject must not delay the others.
    const failed = (error: unknown) =>
      log.error('removing the rows of a deleted user or bot failed, retrying', {
        subject,
        error,
      });
    await removeSubject(database, subject, origin).catch(failed);
  }
}

async function removeFrom(
  em: EntityManager,
  { tenant, subject }: { tenant: string; subject: string },
  origin: Origin,
): Promise<void> {
  if (isBotId(subject)) return removeGrantsOf(em, tenant, 'bot', subject);
  if (tenant === '') return removeGrantsOf(em, tenant, 'user', subject);
  // Serialised like every change of members, here also in a suspended tenant.
  await em.findOne(TenantEntity, { id: tenant }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  await em.nativeDelete(MembershipOfferEntity, { tenant, userId: subject });
  await forgetPerson(em, tenant, subject);
  const member = await em.findOne(TenantMemberEntity, { userId: subject });
  if (member) return endMembership(em, origin, member);
  await removeMemberships(inTransaction(em), tenant, subject);
  await removeGrantsOf(em, tenant, 'user', subject);
}
