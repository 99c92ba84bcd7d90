import { gauge } from '@bailiwick/process';
import type { Pool } from 'pg';

const size = gauge<{ service: string }>({
  name: 'bailiwick_database_size_bytes',
  about:
    'Size of the database of a service. Services that share a database report the same size. The free space of its disk is not visible to SQL.',
});

/** The server looks at every file of the database. */
const cachedMs = 60_000;

// Null for a role without the right to connect, which the size needs: then there is no value.
const statement = {
  name: 'database.size',
  text: `select case when has_database_privilege(current_database(), 'connect')
    then pg_database_size(current_database())::float8 end as size`,
};

/** Measures the size of a service's database, once a minute at most. */
export function measureSize(service: string, pool: Pick<Pool, 'query'>): void {
  let last: { size: number | null; at: number } | undefined;
  size.from(async () => {
    if (!last || performance.now() - last.at > cachedMs) {
      last = undefined;
      const { rows } = await pool.query<{ size: number | null }>(statement);
      last = { size: rows[0]?.size ?? null, at: performance.now() };
    }
    return last.size === null ? [] : [{ value: last.size, labels: { service } }];
  });
}
