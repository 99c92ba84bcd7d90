import { type ServiceSchema, versionOf } from './baseline.ts';
import { UnsuitableDatabase } from './database-problem.ts';
import { type Database } from './orm.ts';
import { assertServer, serverStatement } from './server.ts';
import { type Statement } from './statements.ts';

// Each schema says which versions of the code may run on it.

const schemaWindow: Statement<
  { version: number; compatible_from: number; installation: string; adopts_streams: boolean },
  []
> = {
  name: 'schema_window',
  text: 'select version, compatible_from, installation, adopts_streams from schema_window',
};

/** The installation of a schema. `adopts`: it is older than the ids of the broker's streams. */
export type Installation = { id: string; adopts: boolean };

/**
 * Returns the installation of the schema. Throws if this code must not run on the schema: it is not
 * migrated yet, or newer and incompatible. `configured`: the id of this process's installation, ""
 * if it is not configured.
 * @throws UnsuitableDatabase for another installation's schema, and for an unsuitable server
 */
export async function assertSchemaWindow(
  database: Database,
  schema: ServiceSchema,
  configured = '',
): Promise<Installation> {
  assertServer((await database.query(serverStatement, []))[0]);
  const [row] = await database.query(schemaWindow, []);
  const ours = versionOf(schema);
  if (!row || row.version < ours)
    throw new Error(
      `the schema ${schema.service} is at version ${row?.version ?? 0} and this code needs ${ours}: run the migrations first`,
    );
  if (row.compatible_from > ours)
    throw new Error(
      `the schema ${schema.service} needs code of version ${row.compatible_from} or newer, this is ${ours}`,
    );
  if (configured !== '' && configured !== row.installation)
    throw otherInstallation(schema.service, row.installation, configured);
  return { id: row.installation, adopts: row.adopts_streams };
}

export const otherInstallation = (service: string, stored: string, configured: string) =>
  new UnsuitableDatabase(
    `the schema ${service} belongs to the installation ${stored}, and this is ${configured}: name its own database, correct BAILIWICK_INSTALLATION_ID, or, for a restored copy, run node deploy/admin.ts new-installation`,
  );

const supported: Statement<{ version: number }, []> = {
  name: 'database.oldest_supported',
  text: 'select compatible_from as version from schema_window',
};

/** The oldest version of the code that may run on the schema now. */
export async function oldestSupported(database: Database): Promise<number> {
  const [row] = await database.query(supported, []);
  return row?.version ?? 0;
}
