import type { DomainVerifyRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { exhausted, notFound } from '@bailiwick/shared/errors.ts';
import { type Database, inTransaction, violates } from '@bailiwick/shared/orm.ts';
import type { Origin } from '@bailiwick/shared/outbox.ts';
import type { DomainDeps } from '../deps.ts';
import type { DomainRow } from '../entities.ts';
import { findDomain, lockDomain, missDomain, proveDomain, renewChallenge } from '../queries.ts';
import { recordDomain } from '../records.ts';
import { challengeEnd, newChallenge, txtName, txtValue } from './challenge.ts';
import { type Finding, judge, type LookUpTxt } from './txt.ts';

/** By the name, so that claiming it anew asks no DNS server more often. */
const attempts = { count: 1, seconds: 60 };
const attemptsOf = ({ tenant, name }: DomainRow): string => `domain ${tenant} ${name}`;

const renewal =
  'the time for the record was over: publish the new TxtValue, and verify the domain again';
const taken =
  'the record is there, but another organisation has verified this domain: it has to give it up first';

/** Looks for the record now. What has failed or run out gets another challenge instead, since nobody could have proved the old one. */
export async function verifyDomain(
  deps: DomainDeps,
  { tenant, id }: DomainVerifyRequest,
  call: Call,
): Promise<DomainRow> {
  const { database, limiter, lookUp } = deps;
  const found = await findDomain(database, tenant, id);
  if (!found) throw notFound('domain');
  const wait = await limiter.use(attemptsOf(found), attempts);
  if (wait > 0)
    throw exhausted('a domain is looked up at most once a minute, try again later', wait);
  const settled =
    (await renew(database, found, call)) ??
    (await settle(database, found, await lookFor(lookUp, found), call));
  // Changed while DNS was asked: what was found is of a claim that is over.
  const domain = settled ?? (await findDomain(database, tenant, id));
  if (!domain) throw notFound('domain');
  return domain;
}

/** What DNS says of a claim. */
export async function lookFor(lookUp: LookUpTxt, { name, challenge }: DomainRow): Promise<Finding> {
  const at = txtName(name);
  return judge(await lookUp(at), at, txtValue(challenge));
}

function renew(
  database: Database,
  { tenant, id }: DomainRow,
  call: Call,
): Promise<DomainRow | undefined> {
  return database.transaction({ tenant, row: `domain ${tenant} ${id}` }, async (em) => {
    const run = inTransaction(em);
    const before = await lockDomain(run, tenant, id);
    const after =
      before &&
      (await renewChallenge(run, before, {
        challenge: newChallenge(),
        expiresAt: challengeEnd(new Date()),
        reason: renewal,
      }));
    if (after) recordDomain(em, call, 'domain.updated', after, before);
    return after;
  });
}

async function settle(
  database: Database,
  domain: DomainRow,
  finding: Finding,
  call: Call,
): Promise<DomainRow | undefined> {
  const result = finding.outcome === 'proved' ? await prove(database, domain, call) : finding;
  return 'reason' in result ? miss(database, domain, result.reason, call) : result.domain;
}

/** Makes a domain verified whose record was found, or says why that cannot be. `domain` is undefined where it has changed meanwhile. */
export async function prove(
  database: Database,
  { tenant, id, challenge }: DomainRow,
  origin: Origin,
): Promise<{ domain: DomainRow | undefined } | { reason: string }> {
  try {
    const domain = await database.transaction(
      { tenant, row: `domain ${tenant} ${id}` },
      async (em) => {
        const run = inTransaction(em);
        const before = await lockDomain(run, tenant, id);
        const after = before && (await proveDomain(run, { ...before, challenge }));
        if (after && before.status !== 'verified')
          recordDomain(em, origin, 'domain.verified', after, before);
        return after;
      },
    );
    return { domain };
  } catch (error) {
    // Of two tenants at once the index lets one through. Which one it was is not told.
    if (violates(error, 'domain_verified')) return { reason: taken };
    throw error;
  }
}

function miss(
  database: Database,
  { tenant, id, challenge }: DomainRow,
  reason: string,
  call: Call,
): Promise<DomainRow | undefined> {
  return database.transaction({ tenant, row: `domain ${tenant} ${id}` }, async (em) => {
    const run = inTransaction(em);
    const before = await lockDomain(run, tenant, id);
    const after = before && (await missDomain(run, { ...before, challenge }, reason));
    if (after) recordDomain(em, call, 'domain.verification_failed', after, before);
    return after;
  });
}
