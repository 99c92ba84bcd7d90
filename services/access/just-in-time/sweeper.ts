import type { Revoke, RightsKey } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, onPool } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { lockState } from '../subjects/state.ts';
import { TenantEntity } from '../tenants/entities.ts';
import { endMappings } from './mappings.ts';
import { findMappingGiver, findOverdue, forgetStatement, isOverdue } from './queries.ts';
import { lockMappedGroups } from './take-back.ts';

const intervalMs = 15_000;
const batch = 100;

type Deps = { database: Database; revoke: Revoke; log: Log };

/** Ends mapped rights that their provider has not stated for 30 days. */
export const createMappingSweeper = (deps: Deps): Background =>
  repeat({
    everyMs: intervalMs,
    log: deps.log,
    failed: 'ending mapped rights that were not stated failed, retrying',
    work: (isStopped) => endOverdueMappings(deps, isStopped),
  });

/** One run of the sweeper. Any number of replicas may run it at the same time. */
export async function endOverdueMappings(
  { database, revoke, log }: Deps,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const people = await findOverdue(onPool(database), batch);
  for (const person of people) {
    if (isStopped()) return;
    const { tenant, userId } = person;
    const invalidates = new Set<RightsKey>();
    const cause = { ...serviceOrigin('access'), invalidates };
    await database.transaction({ call: cause, tenant }, async (tx) => {
      // Locks in the same order as `join`.
      await lockState(tx, userId);
      await tx.em.findOne(TenantEntity, { id: tenant }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const run = tx.query;
      if (!(await isOverdue(run, person))) return;
      const giver = await findMappingGiver(run, person);
      await endMappings({ tx, cause, log, person, giver }, await lockMappedGroups(tx, person));
      await forgetStatement(run, person);
    });
    if (invalidates.size > 0) await revoke([...invalidates]);
  }
}
