import pg from 'pg';
import { UsageError } from '../options.ts';
import { clockSchema } from './clock-schema.ts';

// The mark of a demo in its database: a row that says whether the filling has ended. It goes where
// the data goes, also if the database is a named one or in a container.

/** undefined: no demo. */
export type Mark = 'filling' | 'complete' | undefined;

const schema = 'demo';

export async function readMark(client: pg.Client): Promise<Mark> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `select to_regclass('${schema}.mark')::text as name`,
  );
  if (tables[0]?.name === null) return undefined;
  const { rows } = await client.query<{ state: 'filling' | 'complete' }>(
    `select state from ${schema}.mark`,
  );
  return rows[0]?.state;
}

/** Marks an installation as a demo that is being filled. @throws UsageError if it is in use */
export async function markEmpty(client: pg.Client, startAfresh: string): Promise<void> {
  const { rows } = await client.query<{ content: string }>(
    `select 'tenants' as content where exists (select from access.tenant)
     union all select 'users' where exists (select from identity.user_account)
     union all select 'bots' where exists (select from identity.bot)
     union all select 'grants' where exists (select from access.grant_entry)`,
  );
  if (rows.length > 0) {
    const content = rows.map((row) => row.content).join(', ');
    throw new UsageError(
      `--demo fills a new installation, and this one has ${content}; ${startAfresh}`,
    );
  }
  await client.query(`create schema ${schema};
    create table ${schema}.mark (only_row boolean primary key default true check (only_row), state text not null);
    insert into ${schema}.mark (state) values ('filling')`);
}

export async function markComplete(client: pg.Client): Promise<void> {
  await client.query(`update ${schema}.mark set state = 'complete'`);
}

/** Only after the sessions that look for the clock have ended. */
export async function removeClock(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${clockSchema} cascade`);
}

export async function withDatabase<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
