import type { EntitySchema } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { Client } from 'pg';
import { UnsuitableDatabase } from './database-problem.ts';
import type { TrigramIndex } from './trigrams.ts';

/** The schema that a service's code expects. */
export type ServiceSchema = {
  service: string;
  entities: readonly EntitySchema[];
  /** In order, the baseline first; a released migration never changes. */
  migrations: ReadonlyArray<{
    name: string;
    class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
  }>;
  /** The version of a schema at its baseline, and the last of the migrations that it replaced. */
  baseline: { version: number; last: string };
  /**
   * The oldest version of the code that still works on this schema. It
   * rises only if a migration removes something that an older version uses: that version then
   * refuses to start instead of failing later.
   */
  compatibleFrom: number;
  /**
   * The oldest version of the code for which nothing is kept, once no older version may run: a new
   * installation begins with it, and `finishUpgrade` raises an upgraded one to it.
   */
  settledFrom?: number;
  /** Statements that `finishUpgrade` runs for what older versions have left out. Safe to repeat. */
  finishing?: readonly string[];
  /** Indexes of its searched lists, which a server may refuse. */
  trigramIndexes?: readonly TrigramIndex[];
};

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
