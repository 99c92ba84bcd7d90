import type { Origin } from '@bailiwick/contract';
import type { Database, Run, Statement } from '@bailiwick/store';
import type { DomainRow } from '../entities.ts';
import { domainColumns } from '../queries.ts';

// The statements check times themselves, by the database's clock: a claim expires after seven days,
// even if the sweeper has not run.

const setUpdatedAt = `updated_at = greatest(now(), d.updated_at + interval '1 millisecond')`;
const setCheckedAt = `last_checked_at = now(), ${setUpdatedAt}`;
// Jitter, so that checks spread over the day.
const daily = `next_check_at = now() + interval '23 hours' + random() * interval '2 hours'`;
/**
 * A claim is looked up 15 s after it was made, and then each time it is twice as old, at least once
 * a day. Only a pending claim has a next look-up.
 */
const nextCheck = `case when d.status = 'pending' and d.challenge_expires_at > now()
  then now() + least(greatest(now() - (d.challenge_expires_at - interval '7 days'), interval '15 seconds'), interval '1 day') end`;

const locked: Statement<DomainRow, [tenant: string, id: string]> = {
  name: 'sso.lock_domain',
  text: `select ${domainColumns} from domain d where d.tenant = $1 and d.id = $2 for update`,
};

/** The domain, locked until the transaction ends. */
export async function lockDomain(
  run: Run,
  tenant: string,
  id: string,
): Promise<DomainRow | undefined> {
  const [row] = await run(locked, [tenant, id]);
  return row;
}

const proved: Statement<DomainRow, [tenant: string, id: string, challenge: string]> = {
  name: 'sso.prove_domain',
  text: `update domain d set status = 'verified', verified_at = case when d.status = 'verified' then d.verified_at else now() end,
           failure_reason = '', failed_days = 0, ${daily}, ${setCheckedAt}
         where d.tenant = $1 and d.id = $2 and d.challenge = $3
           and (d.status in ('verified', 'lapsed') or d.status = 'pending' and d.challenge_expires_at > now())
         returning ${domainColumns}`,
};

/**
 * Marks a domain as verified after its record was found. Returns undefined if the challenge has
 * changed or expired. Violates domain_verified if another tenant has verified the domain.
 */
export async function proveDomain(
  run: Run,
  { tenant, id, challenge }: DomainRow,
): Promise<DomainRow | undefined> {
  const [row] = await run(proved, [tenant, id, challenge]);
  return row;
}

const missed: Statement<
  DomainRow,
  [tenant: string, id: string, challenge: string, reason: string]
> = {
  name: 'sso.miss_domain',
  text: `update domain d set failure_reason = $4, ${setCheckedAt}, next_check_at = case when d.status in ('verified', 'lapsed') then d.next_check_at else ${nextCheck} end
         where d.tenant = $1 and d.id = $2 and d.challenge = $3 returning ${domainColumns}`,
};

/** Stores a failed look-up. The status stays, and a claim gets its next look-up. */
export async function missDomain(
  run: Run,
  { tenant, id, challenge }: DomainRow,
  reason: string,
): Promise<DomainRow | undefined> {
  const [row] = await run(missed, [tenant, id, challenge, reason]);
  return row;
}

const renewed: Statement<
  DomainRow,
  [tenant: string, id: string, challenge: string, expiresAt: Date, reason: string]
> = {
  name: 'sso.renew_challenge',
  text: `update domain d set status = 'pending', challenge = $3, challenge_expires_at = $4, failure_reason = $5, next_check_at = now() + interval '15 seconds', ${setUpdatedAt}
         where d.tenant = $1 and d.id = $2 and (d.status = 'failed' or d.status = 'pending' and d.challenge_expires_at <= now())
         returning ${domainColumns}`,
};

/** Gives an expired claim a new challenge; returns undefined if it has not expired. */
export async function renewChallenge(
  run: Run,
  { tenant, id }: DomainRow,
  next: { challenge: string; expiresAt: Date; reason: string },
) {
  const [row] = await run(renewed, [tenant, id, next.challenge, next.expiresAt, next.reason]);
  return row;
}

const overdue: Statement<DomainRow, [limit: number]> = {
  name: 'sso.overdue_domains',
  text: `select ${domainColumns} from domain d where d.status = 'pending' and d.challenge_expires_at <= now()
         order by d.challenge_expires_at limit $1 for update skip locked`,
  across: 'the sweeper covers all tenants',
};

/** Expired claims of all tenants, except those locked by another replica. */
export function takeOverdue(run: Run, limit: number): Promise<DomainRow[]> {
  return run(overdue, [limit]);
}

const failed: Statement<DomainRow, [tenant: string, id: string]> = {
  name: 'sso.fail_domain',
  text: `update domain d set status = 'failed', next_check_at = null, ${setUpdatedAt} where d.tenant = $1 and d.id = $2 and d.status = 'pending' and d.challenge_expires_at <= now()
         returning ${domainColumns}`,
};

/** Fails an expired claim. */
export async function failDomain(
  run: Run,
  { tenant, id }: DomainRow,
): Promise<DomainRow | undefined> {
  const [row] = await run(failed, [tenant, id]);
  return row;
}

// A replica has ten minutes for a check. Unfinished checks are due again after that.
const claimed: Statement<DomainRow, [limit: number]> = {
  name: 'sso.claim_checks',
  text: `update domain d set next_check_at = now() + interval '10 minutes'
         where (d.tenant, d.id) in (select c.tenant, c.id from domain c where c.next_check_at <= now() and c.status <> 'failed' order by c.next_check_at limit $1 for update skip locked)
         returning ${domainColumns}`,
  across: 'the check covers all tenants',
};

/** Takes domains of all tenants that are due for a check. */
export function claimChecks(database: Database, call: Origin, limit: number): Promise<DomainRow[]> {
  return database.write(call, claimed, [limit]);
}

const failedDay: Statement<
  DomainRow,
  [tenant: string, id: string, challenge: string, failedDays: number, reason: string, limit: number]
> = {
  name: 'sso.failed_day',
  text: `update domain d set failed_days = d.failed_days + 1, failure_reason = $5, ${daily}, ${setCheckedAt},
           status = case when d.status = 'verified' and d.failed_days + 1 >= $6 then 'lapsed' else d.status end
         where d.tenant = $1 and d.id = $2 and d.challenge = $3 and d.failed_days = $4 and d.status in ('verified', 'lapsed')
         returning ${domainColumns}`,
};

/**
 * Counts a day without the record. A repeated check counts once: it returns undefined if the day
 * was already counted.
 */
export async function countFailedDay(
  run: Run,
  { tenant, id, challenge, failedDays }: DomainRow,
  reason: string,
  limit: number,
) {
  const [row] = await run(failedDay, [tenant, id, challenge, failedDays, reason, limit]);
  return row;
}

const postponed: Statement<never, [tenant: string, id: string, reason: string]> = {
  name: 'sso.postpone_check',
  text: `update domain d set failure_reason = $3, next_check_at = now() + interval '30 minutes' + random() * interval '1 hour', ${setCheckedAt}
         where d.tenant = $1 and d.id = $2 and d.status in ('verified', 'lapsed')`,
};

/** Postpones a check without a reliable answer. */
export async function postponeCheck(
  database: Database,
  call: Origin,
  { tenant, id }: DomainRow,
  reason: string,
): Promise<void> {
  await database.write(call, postponed, [tenant, id, reason]);
}

const delay: Statement<never, [tenant: string, id: string, seconds: number]> = {
  name: 'sso.delay_check',
  text: `update domain d set next_check_at = now() + $3 * interval '1 second' where d.tenant = $1 and d.id = $2 and d.status = 'pending'`,
};

/** Delays the look-up of a claim that is not looked up now. */
export async function delayCheck(
  database: Database,
  call: Origin,
  { tenant, id }: DomainRow,
  seconds: number,
): Promise<void> {
  await database.write(call, delay, [tenant, id, seconds]);
}
