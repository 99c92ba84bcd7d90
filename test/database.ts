import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import { migrateAll } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/shared/log.ts';
import pg from 'pg';

// A migrated template that every stack of the run copies: a database of its own in a tenth of a second.

const template = 'bailiwick_template';

export type TestDatabase = { url: string; stop(): Promise<void> };

/** A PostgreSQL for a run of tests, with the template in it. `url` is the superuser's. */
export async function startTestDatabase(dataDir: string): Promise<TestDatabase> {
  const postgres = await startPostgres({ dataDir, durable: false, log: () => {} });
  await execute(postgres.url, `create database ${template}`);
  await migrateAll(
    { DATABASE_URL: withName(postgres.url, template) },
    createLog('migrate', () => {}),
  );
  return { url: postgres.url, stop: () => postgres.stop() };
}

/** A migrated database of its own, which is gone after `drop`. A test file that is run by itself brings its own server. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const given = process.env['BAILIWICK_TEST_DATABASE'];
  const own = given === undefined ? await ownServer() : undefined;
  const server = given ?? own?.url ?? '';
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(server, `create database ${name} template ${template}`);
  return {
    url: withName(server, name),
    async drop() {
      await execute(server, `drop database ${name} with (force)`);
      await own?.stop();
    },
  };
}

async function ownServer(): Promise<TestDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-test-database-'));
  const server = await startTestDatabase(path.join(folder, 'postgres'));
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withName(url: string, name: string): string {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
