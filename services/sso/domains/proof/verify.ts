import type { Origin } from '@bailiwick/contract';
import { exhausted, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { DomainVerifyRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { type Database, violates } from '@bailiwick/store';
import { rowOf } from '../../rows.ts';
import type { DomainDeps } from '../deps.ts';
import type { DomainRow } from '../entities.ts';
import { recordDomainEvent } from '../events.ts';
import { findDomain } from '../queries.ts';
import { challengeEnd, newChallenge, txtName, txtValue } from './challenge.ts';
import { lockDomain, missDomain, proveDomain, renewChallenge } from './queries.ts';
import { checkRecord, type LookUpTxt, type RecordCheck } from './txt.ts';

/** Limited by name, so that claiming the domain again does not allow more DNS queries. */
const attempts = { count: 1, seconds: 60 };
const attemptsOf = ({ tenant, name }: DomainRow): string => `domain ${tenant} ${name}`;

const renewalReason =
  'the challenge had expired: publish the new TxtValue, and verify the domain again';
const takenReason =
  'the record was found, but another organisation has verified this domain: it must delete the domain first';

/**
 * Looks up the record now. A failed or expired claim gets a new challenge instead, because the old
 * one can no longer be proved.
 */
export async function verifyDomain(
  deps: DomainDeps,
  { tenant, id }: DomainVerifyRequest,
  call: Call,
): Promise<DomainRow> {
  const { database, limiter, lookUp } = deps;
  const claim = await findDomain(database, tenant, id);
  if (!claim) throw notFound('domain');
  const wait = await limiter.use(attemptsOf(claim), attempts);
  if (wait > 0)
    throw exhausted('a domain is looked up at most once a minute, try again later', wait);
  const result =
    (await renew(database, claim, call)) ??
    (await settle(database, claim, await lookUpRecord(lookUp, claim), call));
  // The claim changed during the look-up, so the result is for an old claim.
  const domain = result ?? (await findDomain(database, tenant, id));
  if (!domain) throw notFound('domain');
  return domain;
}

/** Looks up the record of a claim. */
export async function lookUpRecord(
  lookUp: LookUpTxt,
  { name, challenge }: DomainRow,
): Promise<RecordCheck> {
  const at = txtName(name);
  return checkRecord(await lookUp(at), at, txtValue(challenge));
}

function renew(
  database: Database,
  { tenant, id }: DomainRow,
  call: Call,
): Promise<DomainRow | undefined> {
  return database.transaction({ call, tenant, row: rowOf.domain(tenant, id) }, async (tx) => {
    const run = tx.query;
    const before = await lockDomain(run, tenant, id);
    const after =
      before &&
      (await renewChallenge(run, before, {
        challenge: newChallenge(),
        expiresAt: challengeEnd(new Date()),
        reason: renewalReason,
      }));
    if (after) recordDomainEvent(tx, 'domain.updated', after, before);
    return after;
  });
}

async function settle(
  database: Database,
  domain: DomainRow,
  recordCheck: RecordCheck,
  call: Call,
): Promise<DomainRow | undefined> {
  const result =
    recordCheck.outcome === 'proved' ? await prove(database, domain, call) : recordCheck;
  return 'reason' in result ? miss(database, domain, result.reason, call) : result.domain;
}

/**
 * Marks a domain as verified, or returns the reason why that is impossible. `domain` is undefined
 * if it changed meanwhile.
 */
export async function prove(
  database: Database,
  { tenant, id, challenge }: DomainRow,
  origin: Origin,
): Promise<{ domain: DomainRow | undefined } | { reason: string }> {
  try {
    const domain = await database.transaction(
      { call: origin, tenant, row: rowOf.domain(tenant, id) },
      async (tx) => {
        const run = tx.query;
        const before = await lockDomain(run, tenant, id);
        const after = before && (await proveDomain(run, { ...before, challenge }));
        if (after && before.status !== 'verified')
          recordDomainEvent(tx, 'domain.verified', after, before);
        return after;
      },
    );
    return { domain };
  } catch (error) {
    // The unique index lets only one tenant verify a domain. The error does not say which one.
    if (violates(error, 'domain_verified')) return { reason: takenReason };
    throw error;
  }
}

function miss(
  database: Database,
  { tenant, id, challenge }: DomainRow,
  reason: string,
  call: Call,
): Promise<DomainRow | undefined> {
  return database.transaction({ call, tenant, row: rowOf.domain(tenant, id) }, async (tx) => {
    const run = tx.query;
    const before = await lockDomain(run, tenant, id);
    const after = before && (await missDomain(run, { ...before, challenge }, reason));
    if (after) recordDomainEvent(tx, 'domain.verification_failed', after, before);
    return after;
  });
}
