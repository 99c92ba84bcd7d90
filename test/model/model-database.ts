import type { Directory } from '@bailiwick/access/directory.ts';
import { accessSchema } from '@bailiwick/access/schema.ts';
import pg from 'pg';
import { openTestDatabase } from '../support/database.ts';
import { tenantOfBot } from './world.ts';

/** A database of access for the rows of models. */
export async function openModels() {
  const opened = await openTestDatabase(accessSchema);
  const client = new pg.Client({ connectionString: opened.url });
  await client.connect();
  return {
    database: opened.database,

    /** Inserts the rows of all tables in one statement. */
    async insert(rows: Readonly<Record<string, unknown[]>>): Promise<void> {
      const inserts = Object.keys(rows).map(
        (table) =>
          `${table}_rows as (insert into access.${table} select * from jsonb_populate_recordset(null::access.${table}, $1::jsonb -> '${table}'))`,
      );
      await client.query(`with ${inserts.join(', ')} select 1`, [JSON.stringify(rows)]);
    },

    async drop(): Promise<void> {
      await client.end();
      await opened.drop();
    },
  };
}

/** Identity's directory, in which each bot of a model has the tenant of the same number. */
export const directory = {
  getBots: ({ ids = [] }) =>
    Promise.resolve({ bots: ids.map((id: string) => ({ id, tenant: tenantOfBot(id) })) }),
} as unknown as Directory;
