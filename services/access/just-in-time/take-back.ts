import type { Call } from '@bailiwick/pipeline';
import type { TakeBackRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { onPool, type Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { GroupEntity } from '../groups/entities.ts';
import { lockState } from '../subjects/state.ts';
import { MappingStatementEntity, TenantEntity } from '../tenants/entities.ts';
import type { JoinDeps } from './join.ts';
import { endMappings } from './mappings.ts';
import { findMappedGroups, findMappedPeople, findMappingGiver } from './queries.ts';

/** Users per call: few enough for the caller's timeout. */
const atOnce = 200;

/** Revokes what a provider's mappings granted, user by user. Returns whether no user is left. */
export async function takeBack(
  { database, log }: JoinDeps,
  { tenant, provider }: TakeBackRequest,
  call: Call,
): Promise<boolean> {
  if (tenant === '' || provider === '') return true;
  // Even if nothing is left: the caches may not know yet that another call has taken it back.
  call.invalidates.add(`tenant:${tenant}`);
  const people = await findMappedPeople(onPool(database), tenant, provider, atOnce);
  for (const userId of people) {
    await database.transaction({ call, tenant }, async (tx) => {
      // Locks in the same order as `join`.
      await lockState(tx, userId);
      await tx.em.findOne(TenantEntity, { id: tenant }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const person = { tenant, userId, provider };
      const giver = await findMappingGiver(tx.query, person);
      await endMappings(
        { tx, cause: call, log, person, giver },
        await lockMappedGroups(tx, person),
      );
      await tx.em.nativeDelete(MappingStatementEntity, person);
    });
  }
  return people.length < atOnce;
}

export async function lockMappedGroups(
  tx: Transaction,
  { tenant, userId, provider }: { tenant: string; userId: string; provider: string },
) {
  const ids = await findMappedGroups(tx.query, tenant, userId, provider);
  return tx.em.find(
    GroupEntity,
    { id: { $in: ids } },
    { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' } },
  );
}
