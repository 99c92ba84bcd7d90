import { randomUUID } from 'node:crypto';
import { createLog, type Log } from '@bailiwick/process';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { adoptBaseline, type ServiceSchema, versionOf } from './baseline.ts';
import { connectionOf, databaseRole, ormOptions, sessionOptions } from './connect.ts';
import { UnsuitableDatabase } from './database-problem.ts';
import { connect, lockMigrations } from './migrating-client.ts';
import { everyKey } from './revocations.ts';
import { otherInstallation } from './schema-window.ts';
import { assertServer, type ServerRow, serverStatement } from './server.ts';

export type MigrationOptions = {
  /** A login that may create schemas and roles. */
  url: string;
  /** The service's own login, if it is another one. */
  loginUrl?: string;
  /** How long to wait for a database that does not respond. */
  waitSeconds?: number;
  /** The installation's id. Without one the schema keeps its own, or gets a new one. */
  installation?: string | undefined;
};

/**
 * Migrates one service's schema to its code's version, and creates the role that the service works
 * as. Safe to run twice and concurrently. Returns the installation's id.
 * @throws DatabaseProblem if the connection fails, and for another installation's schema
 */
export async function migrate(
  schema: ServiceSchema,
  { url, loginUrl = '', waitSeconds = 0, installation }: MigrationOptions,
  log: Log,
): Promise<string> {
  const client = await connect(url, waitSeconds, log);
  try {
    assertServer((await client.query<ServerRow>(serverStatement.text)).rows[0]);
    await lockMigrations(client, schema.service);
    await adoptBaseline(client, schema);
    const role = databaseRole(schema.service, url);
    await prepareSchema(client, schema.service, role);
    const id = await claimSchema(client, schema.service, installation);
    await admitLogin(client, role, loginUrl);
    const applied = await runMigrations(schema, url);
    await grantRights(client, schema.service, role);
    await client.query(
      // Only a new schema has no row. A repeated migration does not lower compatible_from.
      `insert into ${schema.service}.schema_window (only_row, version, compatible_from, installation) values (true, $1, $4, $3)
       on conflict (only_row) do update set version = excluded.version, compatible_from = greatest(schema_window.compatible_from, $2)
       where schema_window.version <= excluded.version`,
      [
        versionOf(schema),
        schema.compatibleFrom,
        id,
        Math.max(schema.compatibleFrom, schema.settledFrom ?? 0),
      ],
    );
    log.info('schema is current', {
      schema: schema.service,
      version: versionOf(schema),
      applied,
    });
    return id;
  } finally {
    await client.end();
  }
}

/**
 * The installations of the schemas in one database, "" for a schema without one. For a whole
 * installation, before its first schema is migrated.
 */
export async function readInstallations(
  { url, waitSeconds = 0 }: Pick<MigrationOptions, 'url' | 'waitSeconds'>,
  services: readonly string[],
  log: Log,
): Promise<string[]> {
  const client = await connect(url, waitSeconds, log);
  try {
    const installations: string[] = [];
    for (const service of services) {
      const table = `${service}.schema_window`;
      const { rowCount } = await client.query(
        `select from pg_attribute where attrelid = to_regclass($1) and attname = 'installation'`,
        [table],
      );
      if (rowCount === 0) continue;
      const stored = await client.query<{ installation: string }>(
        `select installation from ${table}`,
      );
      installations.push(...stored.rows.map(({ installation }) => installation));
    }
    return installations;
  } finally {
    await client.end();
  }
}

/**
 * Gives a schema to another installation, in one transaction with `statements`. The installation
 * adopts no streams.
 */
export async function renameInstallation(
  url: string,
  service: string,
  id: string,
  statements: readonly string[],
): Promise<void> {
  const client = await connect(url, 0, createLog('admin'));
  try {
    await client.query(`begin; set local search_path = ${service}`);
    for (const statement of statements) await client.query(statement);
    await client.query('update schema_window set installation = $1, adopts_streams = false', [id]);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/**
 * Ends the time in which an older version may run on a schema, so that nothing is kept for it. Safe
 * to repeat.
 * @throws UnsuitableDatabase if the schema is not migrated yet
 */
export async function finishUpgrade(schema: ServiceSchema, url: string): Promise<void> {
  const { service, settledFrom = 0, finishing = [] } = schema;
  const client = await connect(url, 0, createLog('admin'));
  try {
    // Two commands at once would add the same differences.
    await lockMigrations(client, service);
    await assertNoneOlder(client, service, finishing.length > 0 ? versionOf(schema) : settledFrom);
    const { rowCount } = await client.query(
      `update ${service}.schema_window set compatible_from = greatest(compatible_from, $1) where version >= $1`,
      [settledFrom],
    );
    if (rowCount === 0)
      throw new UnsuitableDatabase(
        `the schema ${service} is older than version ${settledFrom}: run the migrations first`,
      );
    await client.query(`set search_path = ${service}`);
    for (const statement of finishing) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Revokes everything in a schema's log of revocations: the caches of rights drop their values with
 * their next renewals, a second later at most.
 */
export async function revokeEverything({ service }: ServiceSchema, url: string): Promise<void> {
  const client = await connect(url, 0, createLog('admin'));
  try {
    await client.query(`insert into ${service}.revocation (keys) values ($1)`, [[everyKey]]);
  } finally {
    await client.end();
  }
}

/** @throws UnsuitableDatabase while a process of an older version is connected */
async function assertNoneOlder(client: Client, service: string, version: number): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and split_part(application_name, '@', 1) = $1`,
    [`bailiwick-${service}`],
  );
  const older = rows.filter(({ name }) => Number(name.split('@')[1] ?? 0) < version);
  if (older.length > 0)
    throw new UnsuitableDatabase(
      `${older.length} connections of ${service} belong to a process of an older version: stop it first`,
    );
}

async function createRole(client: Client, role: string): Promise<void> {
  const quoted = client.escapeIdentifier(role);
  // The role exists if the database was dropped and created again.
  await client.query(
    `do $$ begin create role ${quoted} nologin; exception when duplicate_object or unique_violation then null; end $$`,
  );
}

/** Creates the role of a service, and gives it its rights in a migrated schema. */
export async function grantRole(client: Client, service: string, url: string): Promise<void> {
  const role = databaseRole(service, url);
  await createRole(client, role);
  await grantRights(client, service, role);
}

async function prepareSchema(client: Client, service: string, role: string): Promise<void> {
  await createRole(client, role);
  await client.query(`grant ${client.escapeIdentifier(role)} to current_user`);
  await client.query(`create schema if not exists ${service}`);
  await client.query(
    `create table if not exists ${service}.schema_window (
       only_row boolean primary key check (only_row), version int not null, compatible_from int not null,
       installation text not null default '', adopts_streams boolean not null default false)`,
  );
}

/** Returns the id of the schema's installation: the one that it has, else a given or new one. */
async function claimSchema(
  client: Client,
  service: string,
  installation: string | undefined,
): Promise<string> {
  const { rows } = await client.query<{ installation: string }>(
    `select installation from ${service}.schema_window`,
  );
  const stored = rows[0]?.installation ?? '';
  if (stored !== '' && installation !== undefined && stored !== installation)
    throw otherInstallation(service, stored, installation);
  return stored || installation || randomUUID();
}

// A service's login must be a member of its role. Without one the service connects with the login
// of the migrations.
async function admitLogin(client: Client, role: string, url: string): Promise<void> {
  const login = url === '' ? '' : decodeURIComponent(new URL(url).username);
  if (login !== '')
    await client.query(
      `grant ${client.escapeIdentifier(role)} to ${client.escapeIdentifier(login)}`,
    );
}

/**
 * Gives the role its rights in the schema, and takes those of other databases' roles: a restored
 * copy has the rights of its original.
 */
async function grantRights(client: Client, service: string, role: string): Promise<void> {
  // In one transaction, since the later statements revoke rights that the first one grants.
  await client.query('begin');
  const { rows } = await client.query<{ name: string }>(
    `select r.rolname as name from pg_namespace n, aclexplode(n.nspacl) a join pg_roles r on r.oid = a.grantee
     where n.nspname = $1 and starts_with(r.rolname, $2)`,
    [service, `bailiwick_${service}_`],
  );
  for (const { name } of rows)
    if (name !== role)
      await client.query(`revoke usage on schema ${service} from ${client.escapeIdentifier(name)}`);
  const appendOnly = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') and obj_description(c.oid) = 'append-only'`,
    [service],
  );
  const grantee = client.escapeIdentifier(role);
  await client.query(`grant usage on schema ${service} to ${grantee}`);
  await client.query(
    `grant select, insert, update, delete on all tables in schema ${service} to ${grantee}`,
  );
  await client.query(
    `revoke insert, update, delete on ${service}.schema_window, ${service}.migration from ${grantee}`,
  );
  // A table with the comment 'append-only' gets no rights to update or delete.
  for (const { name } of appendOnly.rows)
    await client.query(`revoke update, delete on ${service}.${name} from ${grantee}`);
  await client.query('commit');
}

async function runMigrations(schema: ServiceSchema, url: string): Promise<number> {
  const orm = new MikroORM({
    ...ormOptions({ service: schema.service, url, entities: schema.entities }),
    extensions: [Migrator],
    driverOptions: {
      ...connectionOf(url),
      application_name: 'bailiwick-migrate',
      options: `${sessionOptions} -c lock_timeout=5000 -c search_path=${schema.service}`,
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
    const migrations = await orm.migrator.up();
    return migrations.length;
  } finally {
    await orm.close(true);
  }
}
