import { schemas } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/process';
import { databaseRole, openDatabase, type ServiceSchema } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase } from './database.ts';

const log = createLog('test', () => {});

// Tables of the migrations, which have no entities.
export const bookkeeping = ['migration', 'schema_window'];
/** Functions of the migrations, which have no entities either. */
const functions = ['"drop_audit"(text)', '"audit_target_keys"(text, text[])'];

export type MigratedDatabase = Awaited<ReturnType<typeof createMigratedDatabase>>;

/** A database with the schemas of all services, as the owner and as each service sees it. */
export async function createMigratedDatabase() {
  const database = await createTestDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();

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
        ...functions.map((name) => `drop function if exists "${schema.service}".${name};`),
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
      options: `-c role=${databaseRole(service, database.url)} -c search_path=${service}`,
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
    const lines: string[] = [];
    for (const text of parts)
      lines.push(
        ...(await admin.query<string[]>({ text, rowMode: 'array' })).rows.map(([line]) =>
          String(line),
        ),
      );
    return lines.sort();
  }

  return {
    url: database.url,
    admin,
    within,
    difference,
    asService,
    tablesOf,
    catalogue,
    async drop() {
      await admin.end();
      await database.drop();
    },
  };
}
