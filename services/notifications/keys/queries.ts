import type { Database, Statement } from '@bailiwick/shared/orm.ts';

export type WrappedKey = { id: string; kek: string; wrapped: Uint8Array };

const newest: Statement = { name: 'notifications.newest_dek', text: 'select id, kek, wrapped from dek where tenant = $1 order by id desc limit 1' };
const byId: Statement = { name: 'notifications.dek', text: 'select id, kek, wrapped from dek where tenant = $1 and id = $2' };

/** The data key that seals for a tenant, undefined before its first use. */
export async function findNewestKey(database: Database, tenant: string): Promise<WrappedKey | undefined> {
  const rows = await database.query<WrappedKey>(newest, [tenant]);
  return rows[0];
}

export async function findKey(database: Database, tenant: string, id: string): Promise<WrappedKey | undefined> {
  const rows = await database.query<WrappedKey>(byId, [tenant, id]);
  return rows[0];
}
