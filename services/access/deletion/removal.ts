import { type Origin, serviceOrigin } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
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
    await database.transaction({ call: origin, tenant }, (tx) =>
      removeFrom(tx, { tenant, subject }),
    );
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
  tx: Transaction,
  { tenant, subject }: { tenant: string; subject: string },
): Promise<void> {
  if (isBotId(subject)) return removeGrantsOf(tx, tenant, 'bot', subject);
  if (tenant === '') return removeGrantsOf(tx, tenant, 'user', subject);
  // Serialised like every change of members, here also in a suspended tenant.
  await tx.em.findOne(TenantEntity, { id: tenant }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  await tx.em.nativeDelete(MembershipOfferEntity, { tenant, userId: subject });
  await forgetPerson(tx, tenant, subject);
  const member = await tx.em.findOne(TenantMemberEntity, { userId: subject });
  if (member) return endMembership(tx, member);
  await removeMemberships(tx.query, tenant, subject);
  await removeGrantsOf(tx, tenant, 'user', subject);
}
