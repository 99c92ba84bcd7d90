import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startPostgresContainer } from '@bailiwick/deploy/local/containers.ts';
import { startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import { firstProvider, wantsContainers } from '@bailiwick/deploy/local/providers.ts';
import { migrateAll, schemas } from '@bailiwick/deploy/migrate.ts';
import { createLog, type Log } from '@bailiwick/process';
import {
  type Database,
  databaseRole,
  grantRole,
  openDatabase,
  type ServiceSchema,
} from '@bailiwick/store';
import pg from 'pg';

// Every stack of the run copies a migrated template database, which takes a tenth of a second.

const template = 'bailiwick_template';

export type TestServer = {
  url: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
};

/**
 * Starts a PostgreSQL with the template. `url` is for the superuser. After `stop` or `kill` it can
 * start again.
 */
export async function startTestServer(dataDir: string): Promise<TestServer> {
  const server = await firstProvider<TestServer>(
    { own: () => startOwn(dataDir), container: startPostgresContainer },
    wantsContainers(process.env),
  );
  await execute(server.url, `create database ${template}`);
  await migrateAll(
    { DATABASE_URL: withName(server.url, template) },
    createLog('migrate', () => {}),
  );
  return server;
}

async function startOwn(dataDir: string): Promise<TestServer> {
  const options = { dataDir, durable: false, log: () => {} };
  let postgres = await startPostgres(options);
  const { url, port } = postgres;
  const stop = () => postgres.stop();
  return {
    url,
    stop,
    kill: () => postgres.kill(),
    remove: stop,
    async start() {
      postgres = await startPostgres({ ...options, port });
    },
  };
}

export type TestDatabase = { url: string; server: TestServer | undefined; drop(): Promise<void> };

/**
 * Creates a migrated or empty database, which `drop` deletes. It is on the run's server, or on its
 * own server for a test that stops the server and for a test file that runs by itself.
 */
export async function createTestDatabase({
  ownServer = false,
  isEmpty = false,
} = {}): Promise<TestDatabase> {
  const shared = ownServer ? undefined : process.env['BAILIWICK_TEST_DATABASE'];
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-test-database-'));
  const server =
    shared === undefined ? await startTestServer(path.join(folder, 'postgres')) : undefined;
  const serverUrl = shared ?? server?.url ?? '';
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(serverUrl, `create database ${name} template ${isEmpty ? 'template0' : template}`);
  const url = withName(serverUrl, name);
  if (!isEmpty) await createRoles(url);
  return {
    url,
    server,
    async drop() {
      await execute(serverUrl, `drop database ${name} with (force)`);
      if (server === undefined) await execute(serverUrl, `drop role if exists ${rolesOf(url)}`);
      await server?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Like createTestDatabase, and opens the database as a service does. */
export async function openTestDatabase(
  { service, entities }: Pick<ServiceSchema, 'service' | 'entities'>,
  log: Log = createLog('test', () => {}),
): Promise<TestDatabase & { database: Database }> {
  const created = await createTestDatabase();
  const database = openDatabase({ service, url: created.url, entities, poolSize: 2, log });
  return { ...created, database, drop: () => database.close().then(() => created.drop()) };
}

/** The roles of a copy: those of the template have the template's name. */
async function createRoles(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const { service } of schemas) await grantRole(client, service, url);
  } finally {
    await client.end();
  }
}

const rolesOf = (url: string): string =>
  schemas.map(({ service }) => databaseRole(service, url)).join();

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
