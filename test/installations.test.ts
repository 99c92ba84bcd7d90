import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startNewInstallation } from '@bailiwick/deploy/admin.ts';
import { migrateAll, schemas } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/process';
import { assertSchemaWindow, databaseRole, openDatabase, type Statement } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase } from './support/database.ts';
import { eventually } from './support/harness.ts';

// Installations on one PostgreSQL server, each with logins of its own that are not superusers, and
// what a database must be.

const log = createLog('test', () => {});
const [identity] = schemas;

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: pg.Client;
before(async () => {
  server = await createTestDatabase({ ownServer: true, isEmpty: true });
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
});
after(async () => {
  await admin?.end();
  await server?.drop();
});

function urlOf(login: string, database: string): string {
  const url = new URL(server.url);
  url.pathname = `/${encodeURIComponent(database)}`;
  if (login !== '') url.username = encodeURIComponent(login);
  return url.href;
}

/** A database with a login for the migrations and one for the services. */
async function prepare(name: string) {
  const password = admin.escapeLiteral(decodeURIComponent(new URL(server.url).password));
  const quoted = admin.escapeIdentifier(name);
  await admin.query(`create database ${quoted} template template0`);
  await admin.query(`create role "${name} owner" login createrole password ${password}`);
  await admin.query(`create role "${name} services" login password ${password}`);
  await admin.query(`grant create on database ${quoted} to "${name} owner"`);
  const services = urlOf(`${name} services`, name);
  const logins = Object.fromEntries(
    schemas.map(({ service }) => [`BAILIWICK_${service.toUpperCase()}_LOGIN_URL`, services]),
  );
  const environment = { DATABASE_URL: urlOf(`${name} owner`, name), ...logins };
  return { name, services, environment };
}

async function as<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function asService<T>(
  url: string,
  work: (database: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> {
  const { service, entities } = identity;
  const database = openDatabase({ service, url, entities, poolSize: 1, log });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const idOf = (url: string) =>
  asService(url, (database) => assertSchemaWindow(database, identity)).then(({ id }) => id);

test('two installations on one server migrate with logins of their own, and neither can use the tables of the other', async () => {
  const [one, two] = [await prepare('one'), await prepare('Second-Installation')];
  await migrateAll(one.environment, log);
  await migrateAll(two.environment, log);
  await migrateAll(one.environment, log);
  assert.notEqual(await idOf(one.services), await idOf(two.services));
  for (const [own, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const foreign = admin.escapeIdentifier(databaseRole('identity', other.services));
    await as(own.services, (client) =>
      assert.rejects(client.query(`set role ${foreign}`), { code: '42501' }),
    );
    // Any login may connect to any database of its server, unless that is revoked.
    await as(urlOf(`${own.name} services`, other.name), async (client) => {
      const role = admin.escapeIdentifier(databaseRole('identity', own.services));
      await client.query(`set role ${role}`);
      await assert.rejects(client.query('select from identity.user_account'), { code: '42501' });
    });
  }
});

test('a copy of a database on the same server is closed to the roles of its original', async () => {
  // The server notices the end of the last session a moment later.
  await eventually('a copy', () =>
    admin.query('create database copied template one').then(
      () => true,
      () => false,
    ),
  );
  const original = databaseRole('identity', urlOf('', 'one'));
  await migrateAll({ DATABASE_URL: urlOf('', 'copied') }, log);
  await as(urlOf('', 'copied'), async (client) => {
    await client.query(`set role ${original}`);
    await assert.rejects(client.query('select from identity.outbox'), { code: '42501' });
    await client.query(`set role ${databaseRole('identity', urlOf('', 'copied'))}`);
    await client.query('select from identity.outbox');
  });
});

test('the database and the configuration must name one installation', async () => {
  const { environment, services } = await prepare('named');
  const named = { ...environment, BAILIWICK_INSTALLATION_ID: 'shop' };
  assert.equal(await migrateAll(named, log), 'shop');
  assert.equal(await migrateAll(environment, log), 'shop');
  await assert.rejects(
    migrateAll({ ...environment, BAILIWICK_INSTALLATION_ID: 'other' }, log),
    /belongs to the installation shop, and this is other: name its own database, correct BAILIWICK_INSTALLATION_ID/,
  );
  await asService(services, async (database) => {
    await assertSchemaWindow(database, identity, 'shop');
    await assert.rejects(assertSchemaWindow(database, identity, 'other'), {
      name: 'UnsuitableDatabase',
    });
  });
  const split = await prepare('split');
  await assert.rejects(
    migrateAll({ ...split.environment, BAILIWICK_SSO_DATABASE_URL: urlOf('', 'one') }, log).then(
      () => migrateAll({ ...environment, BAILIWICK_SSO_DATABASE_URL: urlOf('', 'one') }, log),
    ),
    /the databases belong to different installations/,
  );
});

test('a restored copy gets an id and signing keys of its own, and publishes nothing of its original', async () => {
  const { environment, services } = await prepare('restored');
  await migrateAll({ ...environment, BAILIWICK_INSTALLATION_ID: 'original' }, log);
  await as(urlOf('', 'restored'), async (client) => {
    await client.query(
      `insert into access.outbox (id, for_tenant, type, audit, tasks, created_at) values ('evt_1', '', '', '', '[]', now())`,
    );
    await client.query(
      `insert into sso.signing_key (tenant, id, algorithm, dek_id, key_enc, created_at, signs_from) values ('', 'key', 'ES256', '', '', now(), now())`,
    );
    await client.query('update access.schema_window set adopts_streams = true');
    const id = await startNewInstallation(environment);
    assert.notEqual(id, 'original');
    assert.equal(await idOf(services), id);
    assert.equal(await migrateAll(environment, log), id);
    const { rows } = await client.query(
      `select (select count(*)::int from access.outbox) as changes, (select count(*)::int from sso.signing_key) as keys,
         (select adopts_streams from access.schema_window) as adopts`,
    );
    assert.deepEqual(rows, [{ changes: 0, keys: 0, adopts: false }]);
  });
});

test('migrations that begin at the same time give one id to all schemas', async () => {
  const { environment } = await prepare('twins');
  const ids = await Promise.all([1, 2, 3].map(() => migrateAll(environment, log)));
  assert.equal(new Set(ids).size, 1);
});

test('a session does not depend on the settings of its login or database', async () => {
  const { environment, services } = await prepare('odd');
  const odd = {
    datestyle: "'SQL, DMY'",
    intervalstyle: 'sql_standard',
    timezone: "'Pacific/Kiritimati'",
    client_encoding: 'LATIN1',
    default_transaction_isolation: 'serializable',
    bytea_output: 'escape',
  };
  for (const login of ['odd owner', 'odd services'])
    for (const [name, value] of Object.entries(odd))
      await admin.query(`alter role "${login}" set ${name} = ${value}`);
  await migrateAll(environment, log);
  await asService(services, async (database) => {
    const text = `select timestamptz '2026-02-03 04:05:06.789+00' as time, '€'::text as text, ${Object.keys(
      odd,
    )
      .map((name) => `current_setting('${name}') as ${name}`)
      .join()}`;
    const statement: Statement<Record<string, unknown>, []> = { name: 'odd', text };
    const [row] = await database.query(statement, []);
    assert.deepEqual(row, {
      time: '2026-02-03 04:05:06.789+00',
      text: '€',
      datestyle: 'ISO, MDY',
      intervalstyle: 'postgres',
      timezone: 'UTC',
      client_encoding: 'UTF8',
      default_transaction_isolation: 'read committed',
      bytea_output: 'hex',
    });
  });
});

test('a database with another encoding is refused with what to do', async () => {
  await admin.query("create database ascii encoding 'SQL_ASCII' locale 'C' template template0");
  await assert.rejects(migrateAll({ DATABASE_URL: urlOf('', 'ascii') }, log), (error: Error) => {
    assert.equal(
      error.message,
      "DATABASE_URL: the database has the encoding SQL_ASCII, and UTF8 is needed: create it again with encoding 'UTF8'",
    );
    return error.name === 'DatabaseProblem';
  });
});
