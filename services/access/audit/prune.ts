import { serviceOrigin } from '@bailiwick/contract';
import { isOutage } from '@bailiwick/errors';
import { firstOf, type KeyRing } from '@bailiwick/keys';
import { type Background, repeat } from '@bailiwick/pipeline';
import { counter, type Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { deleteOldCounts } from '../counts/queries.ts';
import { lockHead } from './chains/queries.ts';
import {
  dropEntries,
  findDue,
  findLastDue,
  listSignedByOtherKeys,
  replaceSignature,
  saveCheckpoint,
} from './retention/queries.ts';
import { isSigned, signCheckpoint, verifyStart } from './verify.ts';

// Entries are kept for the retention days of their tenant, or of the installation. Pruning drops
// older entries from the start of the chain and signs the link where the rest begins, so that the
// rest can still be verified.

const intervalMs = 3_600_000;

/**
 * Entries dropped per transaction. Appends to the same chain wait for it, and its statements have a
 * time limit: a larger batch never fits into it on a slow machine, so nothing would ever be dropped.
 */
const batch = 1000;

const keptBatches = counter(
  {
    name: 'bailiwick_audit_prune_refused_total',
    about: 'Prunings that kept old audit entries because they had been altered.',
  },
  {},
);

type Deps = { database: Database; keyRing: KeyRing; retentionDays: number; log: Log };

/**
 * Drops the entries that are past their tenant's retention. Safe to run on several replicas at
 * once.
 */
export async function pruneAudit(deps: Deps, isStopped = () => false): Promise<void> {
  for (const tenant of await findDue(deps.database, deps.retentionDays)) {
    try {
      while (!isStopped() && (await dropBatch(deps, tenant)));
    } catch (error) {
      // Without the database, no tenant's entries can be dropped.
      if (isOutage(error)) throw error;
      deps.log.warn('pruning the audit entries of a tenant failed, retrying', {
        error,
        tenant,
      });
    }
  }
}

/** Drops some of a tenant's old entries. Returns whether it dropped any. */
function dropBatch(
  { database, keyRing, retentionDays, log }: Deps,
  tenant: string,
): Promise<boolean> {
  return database.transaction({ call: serviceOrigin('access'), tenant: null }, async (tx) => {
    // Locks the head, so that replicas prune one after the other.
    await lockHead(tx, tenant);
    const last = await findLastDue(tx, tenant, retentionDays, batch);
    if (!last) return false;
    // The signature states that the entries were intact. Altered entries are kept for examination.
    const [problem] = await verifyStart(tx.query, keyRing, tenant, last);
    if (problem) {
      keptBatches.add({});
      log.error('audit entries do not match their hash chain, not pruned', { tenant, problem });
      return false;
    }
    await saveCheckpoint(tx, tenant, { ...last, signature: signCheckpoint(keyRing, tenant, last) });
    return (await dropEntries(tx, tenant)) > 0;
  });
}

/**
 * Replaces signatures made by another key of the ring with one by its first key, so that the other
 * key can be removed. Leaves signatures of unknown keys unchanged.
 */
export async function renewSignatures({
  database,
  keyRing,
}: Pick<Deps, 'database' | 'keyRing'>): Promise<number> {
  let signed = 0;
  for (const { tenant, seq, hash, signature } of await listSignedByOtherKeys(
    database,
    `${firstOf(keyRing)}.`,
  )) {
    if (!isSigned(keyRing, tenant, { seq, hash }, signature)) continue;
    await database.transaction({ call: serviceOrigin('access'), tenant: null }, (tx) =>
      replaceSignature(tx, { tenant, signature }, signCheckpoint(keyRing, tenant, { seq, hash })),
    );
    signed++;
  }
  return signed;
}

export const startPruning = (deps: Deps): Background =>
  repeat({
    everyMs: intervalMs,
    log: deps.log,
    failed: 'pruning audit entries failed, retrying',
    async work(isStopped) {
      await deleteOldCounts(deps.database, serviceOrigin('access'));
      await pruneAudit(deps, isStopped);
      await renewSignatures(deps);
    },
  });
