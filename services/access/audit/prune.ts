import { isAway } from '@bailiwick/shared/errors.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { counter } from '@bailiwick/shared/metrics.ts';
import { type Database, inTransaction } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import { firstOf, type KeyRing } from '@bailiwick/shared/seal.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import {
  dropEntries,
  findDue,
  findLastDue,
  listSignedOtherwise,
  lockHeads,
  replaceSignature,
  saveCheckpoint,
} from './queries.ts';
import { isSigned, signCheckpoint, verifyBeginning } from './verify.ts';

// Entries are kept for a number of days, a tenant's own or the installation's. What is older is dropped from the beginning of
// its chain, and the place where the rest begins is signed, so that what is left can still be verified.

const intervalMs = 3_600_000;

/** Entries that are dropped at once: whoever writes into the chain waits for it. */
const batch = 5000;

const keptBatches = counter(
  {
    name: 'bailiwick_audit_prune_refused_total',
    about: 'Times that old audit entries were kept because they had been changed.',
  },
  {},
);

type Deps = { database: Database; keyRing: KeyRing; retentionDays: number; log: Log };

/** Drops what is older than its tenant keeps it. Any number of replicas may do so at once. */
export async function pruneAudit(deps: Deps, isStopped = () => false): Promise<void> {
  for (const tenant of await findDue(deps.database, deps.retentionDays)) {
    try {
      while (!isStopped() && (await dropBatch(deps, tenant)));
    } catch (error) {
      // Without the database nobody's are dropped.
      if (isAway(error)) throw error;
      deps.log.warn('old audit entries of a tenant could not be dropped, it is tried again', {
        error,
        tenant,
      });
    }
  }
}

/** Drops some of a tenant's old entries. Returns whether there were any. */
function dropBatch(
  { database, keyRing, retentionDays, log }: Deps,
  tenant: string,
): Promise<boolean> {
  return database.transaction(null, async (em) => {
    // Held, so that two who prune come one after the other.
    await lockHeads(em, [tenant]);
    const last = await findLastDue(em, tenant, retentionDays, batch);
    if (!last) return false;
    // The signature says that the entries were in order. What is not as it was written stays, to be examined.
    const [problem] = await verifyBeginning(inTransaction(em), keyRing, tenant, last);
    if (problem) {
      keptBatches.add({});
      log.error('old audit entries are not as they were written and are kept', { tenant, problem });
      return false;
    }
    await saveCheckpoint(em, tenant, { ...last, signature: signCheckpoint(keyRing, tenant, last) });
    return (await dropEntries(em, tenant)) > 0;
  });
}

/** Signs with the ring's first key what another one of it has signed, so that the other can leave the ring. What none of them signed stays as it is. */
export async function signAnew({
  database,
  keyRing,
}: Pick<Deps, 'database' | 'keyRing'>): Promise<number> {
  let signed = 0;
  for (const { tenant, seq, hash, signature } of await listSignedOtherwise(
    database,
    `${firstOf(keyRing)}.`,
  )) {
    if (!isSigned(keyRing, tenant, { seq, hash }, signature)) continue;
    await database.transaction(null, (em) =>
      replaceSignature(em, { tenant, signature }, signCheckpoint(keyRing, tenant, { seq, hash })),
    );
    signed++;
  }
  return signed;
}

export const startPruning = (deps: Deps): Background =>
  repeat({
    everyMs: intervalMs,
    log: deps.log,
    failed: 'old audit entries could not be dropped, it is tried again',
    work: (isStopped) => pruneAudit(deps, isStopped).then(() => signAnew(deps)),
  });
