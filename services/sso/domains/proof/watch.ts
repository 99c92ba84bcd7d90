import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database, Limiter, Transaction } from '@bailiwick/store';
import type { DomainDeps } from '../deps.ts';
import type { DomainRow } from '../entities.ts';
import { byService, recordDomainEvent } from '../events.ts';
import {
  claimChecks,
  countFailedDay,
  delayCheck,
  failDomain,
  lockDomain,
  missDomain,
  postponeCheck,
  takeOverdue,
} from './queries.ts';
import type { LookUpTxt } from './txt.ts';
import { lookUpRecord, prove } from './verify.ts';

const batch = 100;
/** Domains that one process looks up concurrently. */
const checksAtOnce = 10;
const lapseAfterDays = 3;

/** Limited by name, so that claiming a domain again does not allow more DNS queries. */
const claimChecksOfName = { count: 4, seconds: 60 };

/** A tenant that is opened again can verify its claim at once. */
const closedSeconds = 3600;

type Deps = Pick<DomainDeps, 'admission'> & {
  database: Database;
  limiter: Limiter;
  lookUp: LookUpTxt;
  log: Log;
  intervalMs?: number;
};

/**
 * Looks up the records of claims until they are proved or expire, and checks daily whether the
 * record of each verified domain still exists. A domain without its record for three days lapses,
 * and is verified again when the record is back. Any number of replicas may run it: each claim and
 * each check is handled by one replica.
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

async function checkBatch(deps: Deps): Promise<number> {
  const domains = await claimChecks(deps.database, byService, checksAtOnce);
  await Promise.all(
    domains.map((domain) =>
      domain.status === 'verified' || domain.status === 'lapsed'
        ? check(deps, domain)
        : checkClaim(deps, domain),
    ),
  );
  return domains.length;
}

/** A claim without its record is no event: its administrators see the state. */
async function checkClaim(deps: Deps, domain: DomainRow): Promise<void> {
  const { database, admission, limiter, lookUp } = deps;
  // A suspended or deleted tenant claims nothing: its proof would keep the domain from another one.
  const { open } = await admission.isOpen({ tenant: domain.tenant }, byService);
  if (!open) return delayCheck(database, byService, domain, closedSeconds);
  const key = `domain_check ${domain.tenant} ${domain.name}`;
  const seconds = await limiter.use(key, claimChecksOfName);
  if (seconds > 0) return delayCheck(database, byService, domain, seconds);
  const recordCheck = await lookUpRecord(lookUp, domain);
  const result =
    recordCheck.outcome === 'proved' ? await prove(database, domain, byService) : recordCheck;
  if ('reason' in result)
    await database.transaction({ call: byService, tenant: domain.tenant }, (tx) =>
      missDomain(tx.query, domain, result.reason),
    );
}

async function check({ database, lookUp }: Deps, domain: DomainRow): Promise<void> {
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
