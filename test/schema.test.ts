import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertSchemaWindow, migrate, openDatabase, type ServiceSchema } from '@bailiwick/database';
import { migrateAll, schemas } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/telemetry';
import pg from 'pg';
import { createTestDatabase } from './support/database.ts';
import { eventually } from './support/harness.ts';
import { statementsOf } from './support/statements.ts';

const log = createLog('test', () => {});
const forbidden = { code: '42501' };

// Tables of the migrations, which have no entities.
const bookkeeping = ['migration', 'schema_window'];
/** Functions that a service may call with the rights of the owner. */
const functions = ['drop_audit'];

describe('the schemas after all migrations', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let admin: pg.Client;
  before(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
  });
  after(async () => {
    await admin?.end();
    await database?.drop();
  });

  async function within<Result>(
    schema: ServiceSchema,
    work: (opened: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>,
  ): Promise<Result> {
    const opened = openDatabase({
      service: schema.service,
      url: database.url,
      entities: schema.entities,
      poolSize: 1,
      log,
    });
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  }
  /** The statements that MikroORM would run to make the tables match the entities. */
  const difference = (schema: ServiceSchema) =>
    within(schema, async ({ orm, query }) => {
      // PostgreSQL shows constraints to the owner of the table only. The pool has one connection.
      await query({ name: 'as_owner', text: 'set role none' }, []);
      const statements = (await orm.schema.getUpdateSchemaSQL({ wrap: false }))
        .split('\n')
        .map((line) => line.trim());
      const others = schemas
        .filter((other) => other !== schema)
        .map(({ service }) => `"${service}"`);
      const expected = [
        ...bookkeeping.map(
          (table) => `drop table if exists "${schema.service}"."${table}" cascade;`,
        ),
        ...functions.map((name) => `drop function if exists "${schema.service}"."${name}"(text);`),
        ...others.map((service) => `drop schema if exists ${service};`),
      ];
      return statements.filter(
        (line) =>
          line !== '' &&
          !expected.includes(line) &&
          !others.some((service) => line.startsWith(`drop table if exists ${service}.`)),
      );
    });

  /** Connects as a service does. */
  async function asService<Result>(
    service: string,
    work: (client: pg.Client) => Promise<Result>,
  ): Promise<Result> {
    const client = new pg.Client({
      connectionString: database.url,
      options: `-c role=bailiwick_${service} -c search_path=${service}`,
    });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
  const tablesOf = async (service: string) =>
    (
      await admin.query<{ name: string }>(
        'select tablename as name from pg_tables where schemaname = $1 order by 1',
        [service],
      )
    ).rows.map(({ name }) => name);

  for (const schema of schemas) {
    const { service } = schema;

    test(`${service}: the tables match the entities`, async () => {
      assert.deepEqual(await difference(schema), []);
      const entities = schema.entities.map(({ meta }) => meta.tableName);
      assert.deepEqual(await tablesOf(service), [...entities, ...bookkeeping].sort());
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
        assert.match((await difference(schema)).join('\n'), sign);
        await admin.query(`alter table ${service}.outbox ${back}`);
      }
      await admin.query(`drop index ${service}.outbox_waiting`);
      assert.match((await difference(schema)).join('\n'), /create index "outbox_waiting"/);
      await admin.query(
        `create index outbox_waiting on ${service}.outbox (id) where published_at is null`,
      );
      assert.deepEqual(await difference(schema), []);
    });

    test(`${service}: its role can use only its own tables`, async () => {
      await asService(service, async (client) => {
        for (const table of await tablesOf(service)) {
          await client.query(`select * from ${table} limit 1`);
          if (!bookkeeping.includes(table))
            await client.query(`insert into ${table} select * from ${table} limit 0`);
        }
        await client.query('update outbox set published_at = now()');
        await client.query('delete from outbox');
        for (const other of schemas.filter((candidate) => candidate !== schema)) {
          const tables = await tablesOf(other.service);
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
        [`bailiwick_${service}`, schemas.map((one) => one.service)],
      );
      assert.deepEqual(
        privileges.rows.filter(({ allowed }) => allowed).map((row) => row.schema),
        [service],
      );
      const powers = await admin.query(
        'select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin from pg_roles where rolname = $1',
        [`bailiwick_${service}`],
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
      const folder = path.resolve(import.meta.dirname, '../services', service);
      const statements = globSync(['*/queries.ts', '*/*/queries.ts'], {
        cwd: folder,
        exclude: (name) => name === 'node_modules',
      }).flatMap((file) => statementsOf(file, readFileSync(path.join(folder, file), 'utf8')));
      assert.ok(statements.length > 0);
      await asService(service, async (client) => {
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
      const check = () => within(schema, (opened) => assertSchemaWindow(opened, schema));
      const ours = schema.migrations.length;
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
      await admin.query(`delete from ${service}.schema_window`);
      await assert.rejects(check(), /is at version 0 and this code needs/);
      await admin.query(`insert into ${service}.schema_window values (true, $1, $2)`, [
        ours,
        schema.compatibleFrom,
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
    const before = await catalogue();
    assert.ok(before.length > 100);
    const run = () => migrateAll({ DATABASE_URL: database.url }, log);
    await run();
    await Promise.all([run(), run()]);
    assert.deepEqual(await catalogue(), before);
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
    const before = await catalogue();
    const run = (schema: ServiceSchema) => migrate(schema, { url: database.url }, log);
    const mine = 'database = (select oid from pg_database where datname = current_database())';
    const isWaiting = async () =>
      (
        await admin.query(
          `select 1 from pg_locks where locktype = 'advisory' and not granted and ${mine}`,
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
      const begun = Date.now();
      await Promise.all(
        [access, identity].map((schema) => assert.rejects(run(schema), { code: '55P03' })),
      );
      const waited = Date.now() - begun;
      assert.ok(waited > 4900 && waited < 30_000, `${waited} ms`);
      assert.ok(await isWaiting());
    } finally {
      await admin.query('rollback; select pg_advisory_unlock_all()');
    }
    assert.equal(await turn, 'done');
    assert.deepEqual(await catalogue(), before);
  });

  test('a migration that takes its locks one by one resumes after an interruption', async () => {
    // The entry of the migration itself changes.
    const snapshot = async () =>
      (await catalogue()).filter((line) => !line.includes('006-admission')).sort();
    const before = await snapshot();
    await admin.query(
      'alter table access.group_member drop column mapped_by; alter table access.tenant drop column sso_lifted_until',
    );
    const { rowCount } = await admin.query(
      "delete from access.migration where name = '006-admission'",
    );
    assert.equal(rowCount, 1);
    await migrateAll({ DATABASE_URL: database.url }, log);
    assert.deepEqual(await snapshot(), before);
  });

  test('migrations of older code keep the schema window of newer code', async () => {
    await admin.query('update access.schema_window set version = 99, compatible_from = 98');
    await migrateAll({ DATABASE_URL: database.url }, log);
    const { rows } = await admin.query('select version, compatible_from from access.schema_window');
    assert.deepEqual(rows, [{ version: 99, compatible_from: 98 }]);
    await admin.query('update access.schema_window set version = $1, compatible_from = $2', [
      schemas[1].migrations.length,
      schemas[1].compatibleFrom,
    ]);
  });

  test('the role of access can add audit entries, but not change or delete them', async () => {
    const entry = `('t', 'aud_1', 1, now(), '', '', '', '', '', '', '', '[]', '{}', '', '', '', '', '', '', '[]', '', 'hash')`;
    await asService('access', async (client) => {
      assert.equal((await client.query(`insert into audit_entry values ${entry}`)).rowCount, 1);
      // The role owns no tables, so this grant has no effect.
      await client.query('grant all on audit_entry to bailiwick_access');
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

  /** Tables, columns, constraints, indexes, rights and the applied migrations. */
  async function catalogue(): Promise<string[]> {
    const names = schemas.map(({ service }) => `'${service}'`).join();
    const parts = [
      `select format('%s.%s.%s %s %s', table_schema, table_name, column_name, data_type, is_nullable) from information_schema.columns where table_schema in (${names})`,
      `select indexdef from pg_indexes where schemaname in (${names})`,
      `select format('%s %s', conrelid::regclass, pg_get_constraintdef(c.oid)) from pg_constraint c join pg_namespace n on n.oid = connamespace where nspname in (${names})`,
      `select format('%s %s', oid::regclass, relacl) from pg_class where relnamespace::regnamespace::text in (${names})`,
      ...schemas.flatMap(({ service }) => [
        `select t::text from ${service}.migration t`,
        `select t::text from ${service}.schema_window t`,
      ]),
    ];
    const found: string[] = [];
    for (const text of parts)
      found.push(
        ...(await admin.query<string[]>({ text, rowMode: 'array' })).rows.map(([line]) =>
          String(line),
        ),
      );
    return found.sort();
  }
});
