import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import { firstOf, type KeyRing } from '@bailiwick/shared/seal.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { dropEntries, findDue, listSignedOtherwise, lockHeads, replaceSignature, saveCheckpoint } from './queries.ts';
import { isSigned, signCheckpoint } from './verify.ts';

// Entries are kept for a number of days, a tenant's own or the installation's. What is older is dropped from the beginning of
// its chain, and the place where the rest begins is signed, so that what is left can still be verified.

const intervalMs = 3_600_000;

type Deps = { database: Database; keyRing: KeyRing; retentionDays: number };

/** Drops what is older than its tenant keeps it. Any number of replicas may do so at once. */
export async function pruneAudit({ database, keyRing, retentionDays }: Deps): Promise<number> {
  let dropped = 0;
  for (const { tenant, seq, hash } of await findDue(database, retentionDays)) {
    dropped += await database.transaction(null, async (em) => {
      // Held, so that two who prune come one after the other.
      await lockHeads(em, [tenant]);
      await saveCheckpoint(em, tenant, { seq, hash, signature: signCheckpoint(keyRing, tenant, { seq, hash }) });
      return dropEntries(em, tenant);
    });
  }
  return dropped;
}

/** Signs with the ring's first key what another one of it has signed, so that the other can leave the ring. What none of them signed stays as it is. */
export async function signAnew({ database, keyRing }: Pick<Deps, 'database' | 'keyRing'>): Promise<number> {
  let signed = 0;
  for (const { tenant, seq, hash, signature } of await listSignedOtherwise(database, `${firstOf(keyRing)}.`)) {
    if (!isSigned(keyRing, tenant, { seq, hash }, signature)) continue;
    await database.transaction(null, (em) => replaceSignature(em, { tenant, signature }, signCheckpoint(keyRing, tenant, { seq, hash })));
    signed++;
  }
  return signed;
}

export const startPruning = (deps: Deps, log: Log): Background =>
  repeat({
    everyMs: intervalMs,
    log,
    failed: 'old audit entries could not be dropped, it is tried again',
    work: () => pruneAudit(deps).then(() => signAnew(deps)),
  });
