import type { Log } from '@bailiwick/shared/log.ts';
import { type Database, type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import type { DomainRow } from '../entities.ts';
import {
  claimChecks,
  countFailedDay,
  failDomain,
  lockDomain,
  postponeCheck,
  takeOverdue,
} from '../queries.ts';
import { byTime, recordDomain } from '../records.ts';
import type { LookUpTxt } from './txt.ts';
import { lookFor, prove } from './verify.ts';

const batch = 100;
/** Domains that one process looks up at once. */
const checksAtOnce = 10;
const patienceDays = 3;

type Deps = { database: Database; lookUp: LookUpTxt; log: Log; intervalMs?: number };

/**
 * Ends claims whose time has passed, and looks up every day whether the record of a domain is still there: one that has lost
 * it for three days has lapsed, and is verified again when it is back. Any number of replicas may run it: each claim and each
 * check is one's.
 */
export function watchDomains(deps: Deps): Background {
  const { database, log, intervalMs = 5000 } = deps;
  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'domains could not be watched, it is tried again',
    async work(isStopped) {
      while (!isStopped() && (await database.transaction(null, failBatch)) === batch);
      while (!isStopped() && (await checkBatch(deps)) === checksAtOnce);
    },
  });
}

async function failBatch(em: EntityManager): Promise<number> {
  const run = inTransaction(em);
  const overdue = await takeOverdue(run, batch);
  for (const before of overdue) {
    const after = await failDomain(run, before);
    if (after) recordDomain(em, byTime, 'domain.verification_failed', after, before);
  }
  return overdue.length;
}

async function checkBatch({ database, lookUp }: Deps): Promise<number> {
  const domains = await claimChecks(database, checksAtOnce);
  await Promise.all(domains.map((domain) => check(database, lookUp, domain)));
  return domains.length;
}

async function check(database: Database, lookUp: LookUpTxt, domain: DomainRow): Promise<void> {
  const finding = await lookFor(lookUp, domain);
  if (finding.outcome === 'unknown') return postponeCheck(database, domain, finding.reason);
  const result = finding.outcome === 'proved' ? await prove(database, domain, byTime) : finding;
  if ('reason' in result) await failDay(database, domain, result.reason);
}

/** The owners hear of each day that fails, so that they can mend it before the third. Of a domain that has lapsed they know. */
function failDay(database: Database, domain: DomainRow, reason: string): Promise<void> {
  const { tenant, id } = domain;
  return database.transaction(tenant, async (em) => {
    const run = inTransaction(em);
    const before = await lockDomain(run, tenant, id);
    const after = before && (await countFailedDay(run, domain, reason, patienceDays));
    if (!after || before.status === 'lapsed') return;
    recordDomain(
      em,
      byTime,
      after.status === 'lapsed' ? 'domain.lapsed' : 'domain.verification_failed',
      after,
      before,
    );
  });
}
