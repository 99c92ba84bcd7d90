import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import pg from 'pg';
import type { TestDatabase } from './database.ts';
import { eventually } from './harness.ts';

// A streaming replica of a test database that has a server of its own.

/** A replica, with the URL of the same database on it. */
export type Standby = Awaited<ReturnType<typeof startStandby>>;

/**
 * Copies the stopped server of a database and starts the copy as its replica, which logs each
 * statement.
 */
export async function startStandby({ url, server }: TestDatabase) {
  if (!server) throw new Error('the database has no server of its own');
  const [{ data_directory: cluster }] = await query<{ data_directory: string }>(
    server.url,
    'show data_directory',
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-standby-'));
  await server.stop();
  cpSync(path.dirname(cluster), folder, { recursive: true });
  chmodSync(path.join(folder, 'cluster'), 0o700);
  await server.start();
  const primary = new URL(url);
  const settings = [
    `primary_conninfo = 'host=${primary.hostname} port=${primary.port} user=${primary.username} password=${primary.password}'`,
    `log_statement = 'all'`,
  ];
  appendFileSync(path.join(folder, 'cluster/postgresql.auto.conf'), `${settings.join('\n')}\n`);
  writeFileSync(path.join(folder, 'cluster/standby.signal'), '');
  const logFile = path.join(folder, 'standby.log');
  const options = { dataDir: folder, durable: false, logFile, log: () => {} };
  let postgres = await startPostgres(options);
  const { port } = postgres;
  const address = new URL(url);
  address.port = String(port);

  const replayed = async (): Promise<boolean> => {
    const [{ lsn }] = await query<{ lsn: string }>(url, 'select pg_current_wal_lsn() as lsn');
    const [{ isThere }] = await query<{ isThere: boolean }>(
      address.href,
      `select pg_last_wal_replay_lsn() >= '${lsn}' as "isThere"`,
    );
    return isThere;
  };
  return {
    url: address.href,
    /** Waits until the replica has every change that was committed before. */
    caughtUp: () => eventually('the replica to replay all changes', replayed),
    /** Replays no further change until `resume`. */
    async pause() {
      await query(address.href, 'select pg_wal_replay_pause()');
      await eventually('the replay to pause', async () => {
        const [{ state }] = await query<{ state: string }>(
          address.href,
          'select pg_get_wal_replay_pause_state() as state',
        );
        return state === 'paused';
      });
    },
    resume: () => query(address.href, 'select pg_wal_replay_resume()'),
    kill: () => postgres.kill(),
    async start() {
      postgres = await startPostgres({ ...options, port });
    },
    /** The names of the prepared statements that the replica has run. */
    statements: (): string[] =>
      [...readFileSync(logFile, 'utf8').matchAll(/execute ([a-z]+\.[a-z_]+): /g)].map(
        ([, name = '']) => name,
      ),
    /** Whether the replica runs a statement that has this text in it. */
    async runs(text: string): Promise<boolean> {
      const [{ count }] = await query<{ count: number }>(
        address.href,
        `select count(*)::int as count from pg_stat_activity
         where state = 'active' and pid <> pg_backend_pid() and position('${text}' in query) > 0`,
      );
      return count > 0;
    },
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The rows of a statement, of which there is at least one. */
async function query<Row extends object>(url: string, text: string): Promise<[Row, ...Row[]]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text);
    const [first, ...others] = rows;
    if (!first) throw new Error(`no row: ${text}`);
    return [first, ...others];
  } finally {
    await client.end();
  }
}
