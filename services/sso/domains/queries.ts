import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Reader, Run, Statement } from '@bailiwick/store';
import type { StoredGiver } from '../delegation.ts';
import type { Capture, DomainRow } from './entities.ts';

/** The columns of a row of `domain d`. */
export const domainColumns = `d.tenant, d.id, d.name, d.status, d.capture, d.default_role as "defaultRole", d.giver, d.challenge,
  d.challenge_expires_at as "challengeExpiresAt", d.verified_at as "verifiedAt", d.last_checked_at as "lastCheckedAt",
  d.failure_reason as "failureReason", d.failed_days as "failedDays", d.created_at as "createdAt"`;
const byId: Statement<DomainRow, [tenant: string, id: string]> = {
  name: 'sso.domain',
  text: `select ${domainColumns} from domain d where d.tenant = $1 and d.id = $2`,
};

export async function findDomain(
  database: Database,
  tenant: string,
  id: string,
): Promise<DomainRow | undefined> {
  const [row] = await database.query(byId, [tenant, id]);
  return row;
}

const ofTenant: Statement<DomainRow, [tenant: string, after: string, limit: number]> = {
  name: 'sso.domains_of_tenant',
  text: `select ${domainColumns} from domain d where d.tenant = $1 and d.id > $2 order by d.id limit $3`,
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
