import type { Log } from '@bailiwick/process';
import type { Client } from 'pg';
import { connect, lockMigrations } from './migrating-client.ts';

// Indexes of trigrams, by which a search finds a text inside of a key. They need two extensions of
// PostgreSQL, which not every server allows: without them a search compares beginnings only.

const extensions = ['pg_trgm', 'btree_gin'] as const;
type Extension = (typeof extensions)[number];

/** The trigram index of a table's keys. `isOfTenants`: its first column is the tenant. */
export type TrigramIndex = {
  name: string;
  table: string;
  isOfTenants: boolean;
  /** Columns, or expressions of them, without the name of the table. */
  keys: readonly string[];
};

/**
 * The tenant in a trigram index. Its collation keeps a search from other indexes: a planner that
 * does not know the tenant could read all rows of the largest one there.
 */
export const tenantKey = (column: string): string => `${column} collate "C"`;

/** The part of a service's schema that names its indexes. */
type Indexed = { service: string; trigramIndexes?: readonly TrigramIndex[] };

/** New rows wait in a list that each search reads: it stays short. */
const pendingKilobytes = 256;

function definitionOf(
  { name, isOfTenants, keys }: TrigramIndex,
  table: string,
  schemas: Readonly<Record<Extension, string>>,
): string {
  const columns = [
    ...(isOfTenants ? [`(${tenantKey('tenant')}) ${schemas.btree_gin}text_ops`] : []),
    ...keys.map((key) => `(${key}) ${schemas.pg_trgm}gin_trgm_ops`),
  ];
  return `${name} on ${table} using gin (${columns.join(', ')}) with (gin_pending_list_limit = ${pendingKilobytes})`;
}

/** A trigram index for its entity. */
export const trigramEntityIndex = (index: TrigramIndex) => ({
  name: index.name,
  expression: `create index ${definitionOf(index, index.table, { pg_trgm: '', btree_gin: '' })}`,
});

/**
 * Creates the missing trigram indexes of a migrated schema, and before them the extensions, while
 * rows are written. For after the migrations of all schemas, since a build waits for old
 * transactions. It never fails: it logs one line, and the next run of the migrations tries again.
 */
export async function addTrigramIndexes(
  { service, trigramIndexes: indexes = [] }: Indexed,
  { url, waitSeconds = 0 }: { url: string; waitSeconds?: number },
  log: Log,
): Promise<void> {
  if (indexes.length === 0) return;
  let client: Client | undefined;
  let building = '';
  try {
    client = await connect(url, waitSeconds, log);
    // The call in progress fails too, and reports it.
    client.on('error', () => {});
    // Two builds in one database would wait for each other.
    await lockMigrations(client, 'trigrams');
    const schemas = await findExtensions(client);
    // A build waits for older transactions, and holds no lock that a call waits for.
    await client.query(`set lock_timeout = '30min'`);
    for (const index of indexes) {
      building = index.name;
      await build(client, index, service, schemas);
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (isRefusal(error) && building === '')
      log.warn(
        `searches in ${service} compare beginnings only, because the trigram indexes are missing: let a superuser run "create extension ${extensions.join('; create extension ')}" in this database, then run the migrations again`,
        { schema: service, problem: text },
      );
    else
      log.warn(
        `building the trigram indexes of ${service} failed, so searches compare beginnings where one is missing: run the migrations again`,
        { schema: service, index: building, problem: text },
      );
  } finally {
    await client?.end();
  }
}

async function build(
  client: Client,
  index: TrigramIndex,
  service: string,
  schemas: Readonly<Record<Extension, string>>,
): Promise<void> {
  const state = await stateOf(client, `${service}.${index.name}`);
  if (state === 'valid') return;
  // An interrupted build leaves an invalid index.
  if (state === 'invalid') await client.query(`drop index concurrently ${service}.${index.name}`);
  const definition = definitionOf(index, `${service}.${index.table}`, schemas);
  await client.query(`create index concurrently ${definition}`);
}

/** insufficient_privilege, feature_not_supported, undefined_file, and the error of a server's own check. */
const refusals = new Set(['42501', '0A000', '58P01', 'P0001']);

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && refusals.has(String(error.code));

/** The schemas of the extensions, as prefixes of their names. Creates missing extensions. */
async function findExtensions(client: Client): Promise<Record<Extension, string>> {
  const find = async () => {
    const { rows } = await client.query<{ name: Extension; schema: string }>(
      `select e.extname as name, quote_ident(n.nspname) || '.' as schema
       from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = any ($1)`,
      [extensions],
    );
    return Object.fromEntries(rows.map(({ name, schema }) => [name, schema])) as Partial<
      Record<Extension, string>
    >;
  };
  for (const name of extensions)
    if ((await find())[name] === undefined)
      await client.query(`create extension if not exists ${name} schema public`);
  const { pg_trgm = '', btree_gin = '' } = await find();
  return { pg_trgm, btree_gin };
}

async function stateOf(client: Client, index: string): Promise<'missing' | 'invalid' | 'valid'> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  if (!rows[0]) return 'missing';
  return rows[0].isValid ? 'valid' : 'invalid';
}
