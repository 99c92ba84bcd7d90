import { schemas } from '@bailiwick/deploy/migrate.ts';
import pg from 'pg';

const names = schemas.map(({ service }) => `'${service}'`).join();
/** The tables of the migrations themselves. */
const bookkeeping = `('migration', 'schema_window')`;

const statements = [
  `select format('%s %s %s "%s"', c.relpersistence, c.relkind, c.oid::regclass, obj_description(c.oid))
   from pg_class c where relnamespace::regnamespace::text in (${names})`,
  `select format('%s %s %s %s %s not null %s default %s', attrelid::regclass, row_number() over (partition by attrelid order by attnum),
     attname, format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull, pg_get_expr(d.adbin, d.adrelid))
   from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
   where relnamespace::regnamespace::text in (${names}) and relkind = 'r' and relname not in ${bookkeeping}
     and attnum > 0 and not attisdropped`,
  `select indexdef from pg_indexes where schemaname in (${names})`,
  `select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
   where connamespace::regnamespace::text in (${names}) and conrelid::regclass::text !~ 'schema_window'`,
  `select pg_get_functiondef(oid) from pg_proc where pronamespace::regnamespace::text in (${names})`,
  `select tgname from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace::regnamespace::text in (${names})`,
];

/** The tables, columns, indexes, constraints, functions and triggers of all services, one a line. */
export const structureOf = (url: string): Promise<string[]> => linesOf(url, statements);

/** The applied migrations of all services. */
export const appliedIn = (url: string): Promise<string[]> =>
  linesOf(
    url,
    schemas.map(({ service }) => `select '${service} ' || name from ${service}.migration`),
  );

/** The rows of statements that select one column, sorted. */
async function linesOf(url: string, texts: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const lines: string[] = [];
    for (const text of texts) {
      const { rows } = await client.query<[string]>({ text, rowMode: 'array' });
      lines.push(...rows.map(([line]) => line));
    }
    return lines.sort();
  } finally {
    await client.end();
  }
}
