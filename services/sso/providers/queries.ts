import type { Database, Statement } from '@bailiwick/shared/orm.ts';

const activeProvider: Statement = { name: 'sso.active_provider', text: 'select kind from provider where tenant = $1 and id = $2 and active' };

/** The kind of a tenant's provider, undefined where there is none or it is switched off. */
export async function findActiveProvider(database: Database, tenant: string, id: string): Promise<{ kind: string } | undefined> {
  const rows = await database.query<{ kind: string }>(activeProvider, [tenant, id]);
  return rows[0];
}
