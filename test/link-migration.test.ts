import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { createLog } from '@bailiwick/process';
import { migrate } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './support/database.ts';

const log = createLog('test', () => {});
const hash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';

describe('the migration of identity links from the version before', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ isEmpty: true });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await migrate(
      { ...identitySchema, migrations: identitySchema.migrations.slice(0, 5) },
      { url: database.url },
      log,
    );
    const person = `insert into identity.user_account (id, email, email_key, email_verified, name, given_name, family_name, picture, locale, status,
      external_id, metadata, password_hash, created_at, updated_at) values ($1, $1, $1, true, '', '', '', '', '', 'active', '', '{}', $2, now(), now())`;
    await client.query(person, ['usr_password', hash]);
    await client.query(person, ['usr_plain', null]);
    await link('first', 'usr_password', 2);
    await link('second', 'usr_password', 1);
    await link('first', 'usr_plain', 1);
    const marks = identitySchema.migrations.findIndex(
      ({ name }) => name === '009-confirmed-link-marks',
    );
    await migrate(
      { ...identitySchema, migrations: identitySchema.migrations.slice(0, marks) },
      { url: database.url },
      log,
    );
    await link('between', 'usr_password', 0);
    await migrate(identitySchema, { url: database.url }, log);
  });
  after(async () => {
    await client?.end();
    await database?.drop();
  });

  /** Inserts a link as the version before does: of a tenant's provider to a user, `days` ago. */
  const link = (tenant: string, user: string, days: number) =>
    client.query(
      `insert into identity.identity_link (tenant, provider, issuer, subject, user_id, email, created_at, last_used_at)
       values ($1, $1, 'https://login.example.com', $2, $2, '', now() - make_interval(days => $3), now())`,
      [tenant, user, days],
    );
  const linkOf = async (tenant: string, user: string) => {
    const text =
      'select trust, lapsed, password_mark as mark from identity.identity_link where tenant = $1 and user_id = $2';
    return (
      await client.query<{ trust: string; lapsed: boolean; mark: string | null }>(text, [
        tenant,
        user,
      ])
    ).rows[0];
  };

  test('keeps the first link of an account unlimited, and stores the password mark', async () => {
    const mark = createHash('sha256').update(hash).digest('hex');
    assert.deepEqual(await linkOf('first', 'usr_password'), {
      trust: 'domain',
      lapsed: false,
      mark,
    });
    assert.deepEqual(await linkOf('first', 'usr_plain'), {
      trust: 'domain',
      lapsed: false,
      mark: null,
    });
  });

  test('limits a link to its tenant if a provider of another tenant linked the account earlier', async () => {
    assert.equal((await linkOf('second', 'usr_password'))?.trust, 'address');
  });

  test('limits links of the version before until their next sign-in, if it still runs', async () => {
    assert.deepEqual(await linkOf('between', 'usr_password'), {
      trust: 'address',
      lapsed: false,
      mark: null,
    });
    await link('third', 'usr_plain', 0);
    assert.deepEqual(await linkOf('third', 'usr_plain'), {
      trust: 'address',
      lapsed: false,
      mark: null,
    });
  });
});
