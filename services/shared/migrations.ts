import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitySchema } from '@mikro-orm/core';
import { type Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { connectionProblem } from './database-problem.ts';
import type { Log } from './log.ts';
import { connectionOf, type Database, databaseRole, ormOptions } from './orm.ts';

/** What a service's code expects of its schema. */
export type ServiceSchema = {
  service: string;
  entities: readonly EntitySchema[];
  /** In order, never changed once released. Their number is the schema's version. */
  migrations: ReadonlyArray<{
    name: string;
    class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
  }>;
  /**
   * The oldest version of the code (its number of migrations) that still works on this schema. It rises only when
   * a migration contracts what an older version uses: then that version refuses to work instead of failing later.
   */
  compatibleFrom: number;
};

export type MigrationOptions = {
  /** Of a login that may create schemas and roles. */
  url: string;
  /** The one that the service itself connects with, where that is another. */
  loginUrl?: string;
  /** How long a database that does not answer is waited for. */
  waitSeconds?: number;
};

/**
 * Brings one service's schema up to its code's version, with the role the service works as. Safe to
 * run twice and by two at once.
 * @throws DatabaseProblem where the database cannot be connected to.
 */
export async function migrate(
  schema: ServiceSchema,
  { url, loginUrl = '', waitSeconds = 0 }: MigrationOptions,
  log: Log,
): Promise<void> {
  const client = await connect(url, waitSeconds, log);
  try {
    // Its turn it waits for longer than for a table, which calls may be waiting for behind it.
    await client.query("set lock_timeout = '60s'");
    await client.query('select pg_advisory_lock(hashtext($1))', [
      `bailiwick migrate ${schema.service}`,
    ]);
    await client.query('reset lock_timeout');
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

/** Throws where this code must not run on the schema it finds: not migrated yet, or contracted beyond it. */
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

async function prepareSchema(client: Client, service: string): Promise<void> {
  const role = databaseRole(service);
  // Two installations may share a server: whichever comes second finds the role there.
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

// A service's login can work as its role only as a member of it. Who names no login connects as the migrations do.
async function admitLogin(client: Client, service: string, url: string): Promise<void> {
  const login = url === '' ? '' : decodeURIComponent(new URL(url).username);
  if (login !== '')
    await client.query(`grant ${databaseRole(service)} to ${client.escapeIdentifier(login)}`);
}

// A table that must only grow says so in its comment: its role then gets no right to change or delete.
async function grantRights(client: Client, service: string): Promise<void> {
  const role = databaseRole(service);
  // All at once: what one statement gives another takes back.
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
      // A transaction each: what one of them has locked is free before the next one begins.
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
