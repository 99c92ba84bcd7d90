import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migrateAll, schemas } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/process';
import {
  assertSchemaWindow,
  type Database,
  databaseRole,
  openDatabase,
  type ServiceSchema,
} from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase } from './support/database.ts';

// Migrations and services with separate logins, not superusers, as in values-production.yaml.

const log = createLog('test', () => {});
/** A name that needs quoting in SQL and encoding in a URL. */
const service = 'Bailiwick "services"';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: pg.Client;
before(async () => {
  database = await createTestDatabase({ ownServer: true, isEmpty: true });
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const { password, pathname } = new URL(database.url);
  const make = (name: string, rights = '') =>
    admin.query(
      `create role ${admin.escapeIdentifier(name)} login ${rights} password ${admin.escapeLiteral(decodeURIComponent(password))}`,
    );
  for (const name of ['owner', 'next']) {
    await make(name, 'createrole');
    await admin.query(`grant create on database ${pathname.slice(1)} to ${name}`);
  }
  await make(service);
  await make('stranger');
});
after(async () => {
  await admin?.end();
  await database?.drop();
});

function urlOf(login: string): string {
  const url = new URL(database.url);
  url.username = encodeURIComponent(login);
  return url.href;
}

/** Connects each service as this login, one after the other. */
async function asLogin(
  login: string,
  look: (opened: Database, schema: ServiceSchema) => Promise<void>,
): Promise<void> {
  for (const schema of schemas) {
    const opened = openDatabase({
      service: schema.service,
      url: urlOf(login),
      entities: schema.entities,
      poolSize: 1,
      log,
    });
    try {
      await look(opened, schema);
    } finally {
      await opened.close();
    }
  }
}

const loginUrls = () =>
  Object.fromEntries(
    schemas.map((schema) => [
      `BAILIWICK_${schema.service.toUpperCase()}_LOGIN_URL`,
      urlOf(service),
    ]),
  );

test('services work with their own login after the migrations, even after a second run', async () => {
  for (let run = 0; run < 2; run++) {
    await migrateAll({ DATABASE_URL: urlOf('owner'), ...loginUrls() }, log);
    await asLogin(service, async (opened, schema) => {
      await assertSchemaWindow(opened, schema);
      await assert.rejects(
        opened.query({ name: 'alter', text: 'alter table outbox add column mine text' }, []),
        { code: '42501' },
      );
    });
  }
});

test('a login that is not in the migrations’ settings cannot use a schema', async () => {
  await asLogin('stranger', (opened) =>
    assert.rejects(opened.ping(), /permission denied to set role/),
  );
});

test('an unknown login fails the migrations with its name', async () => {
  const environment = { DATABASE_URL: urlOf('owner'), BAILIWICK_SSO_LOGIN_URL: urlOf('nobody') };
  await assert.rejects(migrateAll(environment, log), /role "nobody" does not exist/);
  await assert.rejects(
    migrateAll({ ...environment, BAILIWICK_SSO_LOGIN_URL: 'nobody' }, log),
    /BAILIWICK_SSO_LOGIN_URL Invalid URL/,
  );
});

test('another login can migrate after it gets the objects of the first one', async () => {
  const next = () => migrateAll({ DATABASE_URL: urlOf('next'), ...loginUrls() }, log);
  await assert.rejects(next(), { code: '42501' });
  await admin.query('reassign owned by owner to next');
  await admin.query(
    `grant ${schemas.map((schema) => databaseRole(schema.service, database.url)).join()} to next with admin option`,
  );
  await next();
});
