import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { migrateAll, schemas } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/process';
import {
  assertSchemaWindow,
  databaseRole,
  migrate,
  type ServiceSchema,
  versionOf,
} from '@bailiwick/store';
import type pg from 'pg';
import { eventually } from './support/harness.ts';
import { root } from './support/parsing.ts';
import { bookkeeping, createMigratedDatabase, type MigratedDatabase } from './support/schemas.ts';
import { statementsOf } from './support/statements.ts';

const log = createLog('test', () => {});
const forbidden = { code: '42501' };

describe('the schemas after all migrations', () => {
  let database: MigratedDatabase;
  let admin: pg.Client;
  before(async () => {
    database = await createMigratedDatabase();
    ({ admin } = database);
  });
  after(() => database?.drop());

  for (const schema of schemas) {
    const { service } = schema;

    test(`${service}: the tables match the entities`, async () => {
      assert.deepEqual(await database.difference(schema), []);
      const entities = schema.entities.map(({ meta }) => meta.tableName);
      assert.deepEqual(await database.tablesOf(service), [...entities, ...bookkeeping].sort());
    });

    test(`${service}: the comparison finds a table that differs from its entity`, async () => {
      for (const [change, back, sign] of [
        ['add column forgotten text', 'drop column forgotten', /drop column "forgotten"/],
        [
          'alter column audit drop not null',
          'alter column audit set not null',
          /alter column "audit" set not null/,
        ],
      ] as const) {
        await admin.query(`alter table ${service}.outbox ${change}`);
        assert.match((await database.difference(schema)).join('\n'), sign);
        await admin.query(`alter table ${service}.outbox ${back}`);
      }
      await admin.query(`drop index ${service}.outbox_waiting`);
      assert.match((await database.difference(schema)).join('\n'), /create index "outbox_waiting"/);
      await admin.query(
        `create index outbox_waiting on ${service}.outbox (id) where published_at is null`,
      );
      assert.deepEqual(await database.difference(schema), []);
    });

    test(`${service}: its role can use only its own tables`, async () => {
      await database.asService(service, async (client) => {
        for (const table of await database.tablesOf(service)) {
          await client.query(`select * from ${table} limit 1`);
          if (!bookkeeping.includes(table))
            await client.query(`insert into ${table} select * from ${table} limit 0`);
        }
        await client.query('update outbox set published_at = now()');
        await client.query('delete from outbox');
        for (const other of schemas.filter((candidate) => candidate !== schema)) {
          const tables = await database.tablesOf(other.service);
          assert.ok(tables.length > bookkeeping.length);
          for (const table of tables)
            await assert.rejects(
              client.query(`select * from ${other.service}.${table}`),
              forbidden,
              table,
            );
          await assert.rejects(client.query(`create table ${other.service}.mine ()`), forbidden);
        }
        const beyond = [
          'create table mine ()',
          'create table public.mine ()',
          'alter table outbox add column mine text',
          'drop table outbox',
          'create schema mine',
        ];
        for (const statement of [
          ...beyond,
          'delete from migration',
          'update schema_window set version = 0',
          'select rolpassword from pg_authid',
        ]) {
          await assert.rejects(client.query(statement), forbidden, statement);
        }
      });
      const privileges = await admin.query<{ schema: string; allowed: boolean }>(
        `select nspname as schema, has_schema_privilege($1, oid, 'usage') as allowed from pg_namespace where nspname = any ($2)`,
        [databaseRole(service, database.url), schemas.map((one) => one.service)],
      );
      assert.deepEqual(
        privileges.rows.filter(({ allowed }) => allowed).map((row) => row.schema),
        [service],
      );
      const powers = await admin.query(
        'select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin from pg_roles where rolname = $1',
        [databaseRole(service, database.url)],
      );
      assert.deepEqual(Object.values(powers.rows[0] as object), [
        false,
        false,
        false,
        false,
        false,
      ]);
    });

    test(`${service}: every statement of its queries.ts is valid and allowed for its role`, async () => {
      const statements = globSync(`services/${service}/{*,*/*}/queries.ts`, {
        cwd: root,
        exclude: (name) => name === 'node_modules',
      }).flatMap((file) => statementsOf(file, readFileSync(path.join(root, file), 'utf8')));
      assert.ok(statements.length > 0);
      await database.asService(service, async (client) => {
        // A generic plan checks names, types and rights without running the statement.
        for (const { name, text } of statements)
          await assert.doesNotReject(
            client.query(`explain (generic_plan) ${text}`),
            `${name}: ${text}`,
          );
        await assert.rejects(
          client.query('explain (generic_plan) select missing from outbox where id = $1'),
          { code: '42703' },
        );
      });
    });

    test(`${service}: code rejects an older schema and an incompatible newer one`, async () => {
      const check = () => database.within(schema, (opened) => assertSchemaWindow(opened, schema));
      const ours = versionOf(schema);
      const window = (version: number, from: number) =>
        admin.query(`update ${service}.schema_window set version = $1, compatible_from = $2`, [
          version,
          from,
        ]);
      await check();
      // A newer compatible schema is accepted, since an update may roll out while the code runs.
      await window(ours + 1, ours);
      await check();
      await window(ours + 1, ours + 1);
      await assert.rejects(
        check(),
        new RegExp(
          `schema ${service} needs code of version ${ours + 1} or newer, this is ${ours}$`,
        ),
      );
      await window(ours - 1, 1);
      await assert.rejects(
        check(),
        new RegExp(
          `schema ${service} is at version ${ours - 1} and this code needs ${ours}: run the migrations first$`,
        ),
      );
      const { rows } = await admin.query<{ id: string }>(
        `delete from ${service}.schema_window returning installation as id`,
      );
      await assert.rejects(check(), /is at version 0 and this code needs/);
      await admin.query(`insert into ${service}.schema_window values (true, $1, $2, $3)`, [
        ours,
        schema.compatibleFrom,
        rows[0]?.id,
      ]);
      await check();
    });
  }

  test('migrations that run again, also twice at once, change no schema and no data', async () => {
    const filled = schemas.map(
      ({ service }) =>
        `insert into ${service}.outbox (id, for_tenant, type, audit, tasks, created_at) values ('kept', '', '', '', '[]', now())`,
    );
    for (const statement of filled) await admin.query(statement);
    const before = await database.catalogue();
    assert.ok(before.length > 100);
    const run = () => migrateAll({ DATABASE_URL: database.url }, log);
    await run();
    await Promise.all([run(), run()]);
    assert.deepEqual(await database.catalogue(), before);
    for (const { service } of schemas) {
      assert.equal(
        (await admin.query(`select 1 from ${service}.outbox where id = 'kept'`)).rowCount,
        1,
      );
      await admin.query(`delete from ${service}.outbox`);
    }
  });

  test('a migration rolls back after five seconds on a locked table, and waits longer for another migration', async () => {
    const [identity, access, sso] = schemas;
    const before = await database.catalogue();
    const run = (schema: ServiceSchema) => migrate(schema, { url: database.url }, log);
    const isWaiting = async () =>
      (
        await admin.query(
          `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and query like '%pg_try_advisory_lock%'`,
        )
      ).rowCount === 1;
    await admin.query("select pg_advisory_lock(hashtext('bailiwick migrate sso'))");
    const turn = run(sso).then(
      () => 'done',
      (error: unknown) => error,
    );
    try {
      await eventually('the waiting migration', isWaiting);
      // The first connection of the migrations writes one table, the second reads the other.
      await admin.query('begin; lock table access.schema_window, identity.migration');
      const start = Date.now();
      await Promise.all(
        [access, identity].map((schema) => assert.rejects(run(schema), { code: '55P03' })),
      );
      const waited = Date.now() - start;
      assert.ok(waited > 4900 && waited < 30_000, `${waited} ms`);
      assert.ok(await isWaiting());
    } finally {
      await admin.query('rollback; select pg_advisory_unlock_all()');
    }
    assert.equal(await turn, 'done');
    assert.deepEqual(await database.catalogue(), before);
  });

  test('a schema of the former migrations gets its baseline recorded, and an older one is refused', async () => {
    const { baseline } = schemas[1];
    const former = Array.from({ length: baseline.version }, (_, index) => `former-${index}`);
    const apply = async (names: readonly string[]) => {
      await admin.query('delete from access.migration');
      for (const name of names)
        await admin.query('insert into access.migration (name) values ($1)', [name]);
    };
    const run = () => migrate(schemas[1], { url: database.url }, log);
    const applied = async () =>
      (
        await admin.query<{ name: string }>('select name from access.migration order by id')
      ).rows.map(({ name }) => name);
    const last = [...former.slice(1), baseline.last];
    await apply(last);
    await run();
    const names = schemas[1].migrations.map(({ name }) => name);
    assert.deepEqual(await applied(), [...last, ...names]);
    // Code from before the baseline finds all of its migrations applied.
    await run();
    assert.deepEqual(await applied(), [...last, ...names]);
    for (const older of [former.slice(1), former]) {
      await apply(older);
      await assert.rejects(
        run(),
        /the schema access is at version \d+, and this code upgrades version 20 .*run the migrations of commit ec3c71c1 first$/,
      );
      assert.deepEqual(await applied(), older);
    }
    await apply(names.slice(0, 1));
    await run();
    assert.deepEqual(await applied(), names);
  });

  test('migrations of older code keep the schema window of newer code', async () => {
    await admin.query('update access.schema_window set version = 99, compatible_from = 98');
    await migrateAll({ DATABASE_URL: database.url }, log);
    const { rows } = await admin.query('select version, compatible_from from access.schema_window');
    assert.deepEqual(rows, [{ version: 99, compatible_from: 98 }]);
    await admin.query('update access.schema_window set version = $1, compatible_from = $2', [
      versionOf(schemas[1]),
      schemas[1].compatibleFrom,
    ]);
  });

  test('the role of access can add audit entries, but not change or delete them', async () => {
    const entry = `('t', 'aud_1', 1, now(), '', '', '', '', '', '', '', '[]', '{}', '', '', '', '', '', '', '[]', '', 'hash')`;
    await database.asService('access', async (client) => {
      assert.equal((await client.query(`insert into audit_entry values ${entry}`)).rowCount, 1);
      // The role owns no tables, so this grant has no effect.
      await client.query('grant all on audit_entry to current_role');
      for (const statement of [
        "update audit_entry set hash = 'x'",
        'delete from audit_entry',
        'truncate audit_entry',
        'drop table audit_entry',
      ]) {
        await assert.rejects(client.query(statement), forbidden, statement);
      }
      await assert.rejects(
        client.query(
          `insert into audit_entry values ${entry} on conflict (tenant, id) do update set hash = 'x'`,
        ),
        forbidden,
      );
    });
    assert.deepEqual((await admin.query('select hash from access.audit_entry')).rows, [
      { hash: 'hash' },
    ]);
    const appendOnly = await admin.query(
      `select relname from pg_class where relkind in ('r', 'p') and obj_description(oid) = 'append-only'`,
    );
    assert.deepEqual(appendOnly.rows, [{ relname: 'audit_entry' }]);
  });
});
