import type { Client } from 'pg';
import { UnsuitableDatabase } from './database-problem.ts';
import type { ServiceSchema } from './schema-window.ts';

/** The last commit that has the migrations before the baselines. */
const lastCommit = 'ec3c71c1';

/** The version of the schema that this code makes. */
export const versionOf = ({ migrations, baseline }: ServiceSchema): number =>
  baseline.version - 1 + migrations.length;

/**
 * The names of a schema's applied migrations, with the baseline in place of those that it replaced.
 * @throws UnsuitableDatabase if the schema has some of those only
 */
export function fromBaseline(
  { service, migrations, baseline }: ServiceSchema,
  applied: readonly string[],
): string[] {
  const name = migrations[0]?.name ?? '';
  if (applied.length === 0) return [];
  const index = applied.indexOf(name);
  if (index >= 0) return applied.slice(index);
  if (applied.length === baseline.version && applied.at(-1) === baseline.last) return [name];
  throw new UnsuitableDatabase(
    `the schema ${service} is at version ${applied.length}, and this code upgrades version ${baseline.version} (${baseline.last}): run the migrations of commit ${lastCommit} first`,
  );
}

/** Records the baseline as applied in a schema that the former migrations made. */
export async function adoptBaseline(client: Client, schema: ServiceSchema): Promise<void> {
  const table = `${schema.service}.migration`;
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [table]);
  if (rowCount === 0) return;
  const { rows } = await client.query<{ name: string }>(`select name from ${table} order by id`);
  const applied = rows.map(({ name }) => name);
  const [baseline] = fromBaseline(schema, applied);
  if (baseline !== undefined && !applied.includes(baseline))
    await client.query(`insert into ${table} (name) values ($1)`, [baseline]);
}
