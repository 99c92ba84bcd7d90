import type { Origin } from '@bailiwick/contract';
import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Reader, Run, Statement } from '@bailiwick/store';
import type { StoredGiver } from '../delegation.ts';
import type { Capture, DomainRow } from './entities.ts';

// The statements check times themselves, by the database's clock: a claim expires after seven days,
// even if the sweeper has not run.

const columns = `d.tenant, d.id, d.name, d.status, d.capture, d.default_role as "defaultRole", d.giver, d.challenge,
  d.challenge_expires_at as "challengeExpiresAt", d.verified_at as "verifiedAt", d.last_checked_at as "lastCheckedAt",
  d.failure_reason as "failureReason", d.failed_days as "failedDays", d.created_at as "createdAt"`;
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

const byId: Statement<DomainRow, [tenant: string, id: string]> = {
  name: 'sso.domain',
  text: `select ${columns} from domain d where d.tenant = $1 and d.id = $2`,
};

export async function findDomain(
  database: Database,
  tenant: string,
  id: string,
): Promise<DomainRow | undefined> {
  const [row] = await database.query(byId, [tenant, id]);
  return row;
}

const locked: Statement<DomainRow, [tenant: string, id: string]> = {
  name: 'sso.lock_domain',
  text: `select ${columns} from domain d where d.tenant = $1 and d.id = $2 for update`,
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

const ofTenant: Statement<DomainRow, [tenant: string, after: string, limit: number]> = {
  name: 'sso.domains_of_tenant',
  text: `select ${columns} from domain d where d.tenant = $1 and d.id > $2 order by d.id limit $3`,
};

/** A page of a tenant's domains, and one more row if there are more. */
export function listDomains(
  reader: Reader,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<DomainRow[]> {
  return reader.query(ofTenant, [tenant, after, limit]);
}

const count: Statement<{ count: number }, [tenant: string]> = {
  name: 'sso.count_domains',
  text: 'select count(*)::int as count from domain d where d.tenant = $1',
};

export async function countDomains(run: Run, tenant: string): Promise<number> {
  const [row] = await run(count, [tenant]);
  return row?.count ?? 0;
}

const activeProvider: Statement<{ exists: boolean }, [tenant: string]> = {
  name: 'sso.has_active_provider',
  text: 'select exists (select from provider p where p.tenant = $1 and p.active) as exists',
};

/** Whether a tenant has an active provider. */
export async function hasActiveProvider(run: Run, tenant: string): Promise<boolean> {
  const [row] = await run(activeProvider, [tenant]);
  return row?.exists ?? false;
}

const proved: Statement<DomainRow, [tenant: string, id: string, challenge: string]> = {
  name: 'sso.prove_domain',
  text: `update domain d set status = 'verified', verified_at = case when d.status = 'verified' then d.verified_at else now() end,
           failure_reason = '', failed_days = 0, ${daily}, ${setCheckedAt}
         where d.tenant = $1 and d.id = $2 and d.challenge = $3
           and (d.status in ('verified', 'lapsed') or d.status = 'pending' and d.challenge_expires_at > now())
         returning ${columns}`,
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
         where d.tenant = $1 and d.id = $2 and d.challenge = $3 returning ${columns}`,
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
         returning ${columns}`,
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
  text: `select ${columns} from domain d where d.status = 'pending' and d.challenge_expires_at <= now()
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
         returning ${columns}`,
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
         returning ${columns}`,
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
         returning ${columns}`,
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

const delayed: Statement<never, [tenant: string, id: string, seconds: number]> = {
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
  await database.write(call, delayed, [tenant, id, seconds]);
}

const providerOfDomain: Statement<{ tenant: string; id: string }, [domain: string]> = {
  name: 'sso.provider_of_domain',
  text: `select p.tenant, p.id from domain d join provider p on p.tenant = d.tenant and p.active
         where d.name = $1 and d.status = 'verified' order by p.id limit 1`,
  across: 'finds the provider of a domain before the user is known',
};

/** The provider of a mail domain: the active one of the tenant that has verified the domain. */
export async function findProviderOfDomain(
  database: Database,
  domain: string,
): Promise<{ tenant: string; id: string } | undefined> {
  const rows = await database.query(providerOfDomain, [domain]);
  return rows[0];
}

const owner: Statement<{ tenant: string }, [domain: string]> = {
  name: 'sso.owner_of_domain',
  text: "select d.tenant from domain d where d.name = $1 and d.status = 'verified'",
  across: 'finds the tenant that gets the events of a domain',
};

/** The tenant that has verified a domain. */
export async function findOwner(database: Database, domain: string): Promise<string | undefined> {
  const [row] = await database.query(owner, [domain]);
  return row?.tenant;
}

const settledDomains: Statement<{ verified: string[]; lapsed: string[] }, [tenant: string]> = {
  name: 'sso.settled_domains',
  text: `select coalesce(array_agg(d.name order by d.name) filter (where d.status = 'verified'), '{}') as verified,
           coalesce(array_agg(d.name order by d.name) filter (where d.status = 'lapsed' and not exists (
             select from domain o where o.name = d.name and o.status = 'verified' and o.tenant <> d.tenant)), '{}') as lapsed
         from domain d where d.tenant = $1`,
  between: 'a lapsed domain that another tenant has verified is left out',
};

/**
 * The names of a tenant's verified domains, and of its lapsed ones that no other tenant has
 * verified since.
 */
export async function findDomains(
  database: Database,
  tenant: string,
): Promise<{ verified: string[]; lapsed: string[] }> {
  const [row] = await database.query(settledDomains, [tenant]);
  return row ?? { verified: [], lapsed: [] };
}

const joinableDomain: Statement<JoinableDomain, [domain: string]> = {
  name: 'sso.gate_of_domain',
  text: `select d.tenant, d.name, d.capture, d.default_role as "defaultRole", d.giver from domain d
         where d.name = $1 and d.status = 'verified' and d.capture in ('suggest', 'join')`,
  across: 'finds the tenant of the domain of an address before the tenant is known',
};

export type JoinableDomain = {
  tenant: string;
  name: string;
  capture: Extract<Capture, 'suggest' | 'join'>;
  defaultRole: string;
  giver: StoredGiver | null;
};

/** The tenant whose users may join by an address at a domain. */
export async function findJoinableDomain(
  database: Database,
  domain: string,
): Promise<JoinableDomain | undefined> {
  const [row] = await database.query(joinableDomain, [domain]);
  return row;
}

const policy: Statement<{ tenant: string; lifted: boolean }, [domain: string]> = {
  name: 'sso.password_policy',
  text: `select d.tenant, exists (select from sso_lift l where l.tenant = d.tenant and l.until > now()) as lifted
         from domain d where d.name = $1 and d.status = 'verified' and d.capture = 'require_sso'`,
  across: 'finds the password policy of a domain before the user is known',
};

/**
 * The tenant that requires SSO for a domain, whether or not its provider works; the lift is for
 * outages.
 */
export async function findPasswordPolicy(
  database: Database,
  domain: string,
): Promise<{ tenant: string; lifted: boolean } | undefined> {
  const [row] = await database.query(policy, [domain]);
  return row;
}
