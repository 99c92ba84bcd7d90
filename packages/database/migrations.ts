import { setTimeout as sleep } from 'node:timers/promises';
import { type Log } from '@bailiwick/telemetry';
import type { EntitySchema } from '@mikro-orm/core';
import { type Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { connectionProblem } from './database-problem.ts';
import { connectionOf, type Database, databaseRole, ormOptions } from './orm.ts';

/** The schema that a service's code expects. */
export type ServiceSchema = {
  service: string;
  entities: readonly EntitySchema[];
  /** In order; a released migration never changes. Their number is the schema's version. */
  migrations: ReadonlyArray<{
    name: string;
    class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
  }>;
  /**
   * The oldest version of the code (its number of migrations) that still works on this schema. It
   * rises only if a migration removes something that an older version uses: that version then
   * refuses to start instead of failing later.
   */
  compatibleFrom: number;
};

export type MigrationOptions = {
  /** A login that may create schemas and roles. */
  url: string;
  /** The service's own login, if it is another one. */
  loginUrl?: string;
  /** How long to wait for a database that does not respond. */
  waitSeconds?: number;
};

/**
 * Migrates one service's schema to its code's version, and creates the role that the service works
 * as. Safe to run twice and concurrently.
 * @throws DatabaseProblem if the connection fails
 */
export async function migrate(
  schema: ServiceSchema,
  { url, loginUrl = '', waitSeconds = 0 }: MigrationOptions,
  log: Log,
): Promise<void> {
  const client = await connect(url, waitSeconds, log);
  try {
    await lockMigrations(client, schema.service);
    await prepareSchema(client, schema.service);
    await admitLogin(client, schema.service, loginUrl);
    const applied = await runMigrations(schema, url);
    await grantRights(client, schema.service);
    await client.query(
      `insert into ${schema.service}.schema_window (only_row, version, compatible_from) values (true, $1, $2)
       on conflict (only_row) do update set version = excluded.version, compatible_from = excluded.compatible_from
       where schema_window.version <= excluded.version`,
      [schema.migrations.length, schema.compatibleFrom],
    );
    log.info('schema is current', {
      schema: schema.service,
      version: schema.migrations.length,
      applied,
    });
  } finally {
    await client.end();
  }
}

/**
 * Throws if this code must not run on the schema: it is not migrated yet, or newer and
 * incompatible.
 */
export async function assertSchemaWindow(database: Database, schema: ServiceSchema): Promise<void> {
  const rows = await database.query<{ version: number; compatible_from: number }>(
    { name: 'schema_window', text: 'select version, compatible_from from schema_window' },
    [],
  );
  const ours = schema.migrations.length;
  const found = rows[0];
  if (!found || found.version < ours)
    throw new Error(
      `the schema ${schema.service} is at version ${found?.version ?? 0} and this code needs ${ours}: run the migrations first`,
    );
  if (found.compatible_from > ours)
    throw new Error(
      `the schema ${schema.service} needs code of version ${found.compatible_from} or newer, this is ${ours}`,
    );
}

const pauseMs = 2000;

async function connect(url: string, waitSeconds: number, log: Log): Promise<Client> {
  for (const deadline = Date.now() + waitSeconds * 1000; ; await sleep(pauseMs)) {
    const client = new Client({
      ...connectionOf(url),
      application_name: 'bailiwick-migrate',
      options: '-c lock_timeout=5000',
      connectionTimeoutMillis: 8000,
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      const problem = connectionProblem(error, url);
      if (Date.now() >= deadline) throw problem;
      log.warn('waiting for the database', { problem: problem.message });
    }
  }
}

const lockWaitMs = 30 * 60_000;

// Asks again and again instead of waiting inside a statement: `create index concurrently` waits for
// every statement of the database that is older.
async function lockMigrations(client: Client, service: string): Promise<void> {
  for (const deadline = Date.now() + lockWaitMs; ; await sleep(250)) {
    const { rows } = await client.query<{ isLocked: boolean }>(
      'select pg_try_advisory_lock(hashtext($1)) as "isLocked"',
      [`bailiwick migrate ${service}`],
    );
    if (rows[0]?.isLocked) return;
    if (Date.now() >= deadline) throw new Error(`another process still migrates ${service}`);
  }
}

async function prepareSchema(client: Client, service: string): Promise<void> {
  const role = databaseRole(service);
  // Two installations may share a server: the second one finds the role.
  await client.query(
    `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
  );
  await client.query(`grant ${role} to current_user`);
  await client.query(`create schema if not exists ${service}`);
  await client.query(`grant usage on schema ${service} to ${role}`);
  await client.query(
    `create table if not exists ${service}.schema_window (only_row boolean primary key check (only_row), version int not null, compatible_from int not null)`,
  );
}

// A service's login must be a member of its role. Without one the service connects with the login
// of the migrations.
async function admitLogin(client: Client, service: string, url: string): Promise<void> {
  const login = url === '' ? '' : decodeURIComponent(new URL(url).username);
  if (login !== '')
    await client.query(`grant ${databaseRole(service)} to ${client.escapeIdentifier(login)}`);
}

// A table with the comment 'append-only' gets no rights to update or delete.
async function grantRights(client: Client, service: string): Promise<void> {
  const role = databaseRole(service);
  // In one transaction, since the later statements revoke rights that the first one grants.
  await client.query('begin');
  await client.query(
    `grant select, insert, update, delete on all tables in schema ${service} to ${role}`,
  );
  await client.query(
    `revoke insert, update, delete on ${service}.schema_window, ${service}.migration from ${role}`,
  );
  const appendOnly = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') and obj_description(c.oid) = 'append-only'`,
    [service],
  );
  for (const { name } of appendOnly.rows)
    await client.query(`revoke update, delete on ${service}.${name} from ${role}`);
  await client.query('commit');
}

async function runMigrations(schema: ServiceSchema, url: string): Promise<number> {
  const orm = new MikroORM({
    ...ormOptions({ service: schema.service, url, entities: schema.entities }),
    extensions: [Migrator],
    driverOptions: {
      ...connectionOf(url),
      application_name: 'bailiwick-migrate',
      options: `-c lock_timeout=5000 -c search_path=${schema.service}`,
    },
    migrations: {
      tableName: `${schema.service}.migration`,
      migrationsList: [...schema.migrations],
      snapshot: false,
      disableForeignKeys: false,
      // A transaction for each migration, so that its locks are released before the next one.
      allOrNothing: false,
    },
    logger: () => {},
  });
  try {
    const done = await orm.migrator.up();
    return done.length;
  } finally {
    await orm.close(true);
  }
}
