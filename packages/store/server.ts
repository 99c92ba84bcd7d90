import { UnsuitableDatabase } from './database-problem.ts';
import type { Statement } from './statements.ts';

/** The oldest major version of PostgreSQL that the product is tested on. */
const oldestMajor = 15;

export type ServerRow = { version: number; encoding: string };

/** Reads what `assertServer` checks. */
export const serverStatement: Statement<ServerRow, []> = {
  name: 'server',
  text: `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
};

/** @throws UnsuitableDatabase for a server that is too old, and for a database of another encoding */
export function assertServer(row: ServerRow | undefined): void {
  const { version = 0, encoding = '' } = row ?? {};
  if (version < oldestMajor * 10_000)
    throw new UnsuitableDatabase(
      `the server is PostgreSQL ${Math.floor(version / 10_000)}, and ${oldestMajor} or newer is needed: upgrade it`,
    );
  if (encoding !== 'UTF8')
    throw new UnsuitableDatabase(
      `the database has the encoding ${encoding}, and UTF8 is needed: create it again with encoding 'UTF8'`,
    );
}
