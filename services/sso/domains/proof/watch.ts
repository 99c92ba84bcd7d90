import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import type { DomainRow } from '../entities.ts';
import { byService, recordDomainEvent } from '../events.ts';
import {
  claimChecks,
  countFailedDay,
  failDomain,
  lockDomain,
  postponeCheck,
  takeOverdue,
} from '../queries.ts';
import type { LookUpTxt } from './txt.ts';
import { lookUpRecord, prove } from './verify.ts';

const batch = 100;
/** Domains that one process looks up concurrently. */
const checksAtOnce = 10;
const lapseAfterDays = 3;

type Deps = { database: Database; lookUp: LookUpTxt; log: Log; intervalMs?: number };

/**
 * Fails expired claims, and checks daily whether the record of each verified domain still exists. A
 * domain without its record for three days lapses, and is verified again when the record is back.
 * Any number of replicas may run it: each claim and each check is handled by one replica.
 */
export function watchDomains(deps: Deps): Background {
  const { database, log, intervalMs = 5000 } = deps;
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'checking domains failed, retrying',
    async work(isStopped) {
      while (
        !isStopped() &&
        (await database.transaction({ call: byService, tenant: null }, failBatch)) === batch
      );
      while (!isStopped() && (await checkBatch(deps)) === checksAtOnce);
    },
  });
}

async function failBatch(tx: Transaction): Promise<number> {
  const run = tx.query;
  const overdue = await takeOverdue(run, batch);
  for (const before of overdue) {
    const after = await failDomain(run, before);
    if (after) recordDomainEvent(tx, 'domain.verification_failed', after, before);
  }
  return overdue.length;
}

async function checkBatch({ database, lookUp }: Deps): Promise<number> {
  const domains = await claimChecks(database, byService, checksAtOnce);
  await Promise.all(domains.map((domain) => check(database, lookUp, domain)));
  return domains.length;
}

async function check(database: Database, lookUp: LookUpTxt, domain: DomainRow): Promise<void> {
  const recordCheck = await lookUpRecord(lookUp, domain);
  if (recordCheck.outcome === 'unknown')
    return postponeCheck(database, byService, domain, recordCheck.reason);
  const result =
    recordCheck.outcome === 'proved' ? await prove(database, domain, byService) : recordCheck;
  if ('reason' in result) await failDay(database, domain, result.reason);
}

/**
 * Owners get an event for each failed day, so that they can fix the record before the third. For a
 * lapsed domain they get no more.
 */
function failDay(database: Database, domain: DomainRow, reason: string): Promise<void> {
  const { tenant, id } = domain;
  return database.transaction({ call: byService, tenant }, async (tx) => {
    const run = tx.query;
    const before = await lockDomain(run, tenant, id);
    const after = before && (await countFailedDay(run, domain, reason, lapseAfterDays));
    if (!after || before.status === 'lapsed') return;
    recordDomainEvent(
      tx,
      after.status === 'lapsed' ? 'domain.lapsed' : 'domain.verification_failed',
      after,
      before,
    );
  });
}
