import type { Database, Statement } from '@bailiwick/shared/orm.ts';

const providerOfDomain: Statement = {
  name: 'sso.provider_of_domain',
  text: `select p.tenant, p.id from domain d join provider p on p.tenant = d.tenant and p.active
         where d.name = $1 and d.status = 'verified' order by p.id limit 1`,
};

/** The provider where people of a mail domain sign in: the active one of the tenant that has verified the domain. */
export async function findProviderOfDomain(database: Database, domain: string): Promise<{ tenant: string; id: string } | undefined> {
  const rows = await database.query<{ tenant: string; id: string }>(providerOfDomain, [domain]);
  return rows[0];
}
