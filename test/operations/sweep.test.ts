import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { randomStarts } from '@bailiwick/identity/account/sweeps/queries.ts';
import { createSweeper, removeExpired } from '@bailiwick/identity/account/sweeps/sweeper.ts';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { countOf, rowsOf } from '../support/store.ts';

describe('the sweeper of identity', () => {
  let testDatabase: Awaited<ReturnType<typeof openTestDatabase>>;
  let database: Database;
  const lines: string[] = [];
  const log = createLog('identity', (line) => lines.push(line));
  before(async () => {
    testDatabase = await openTestDatabase(identitySchema, log);
    database = testDatabase.database;
  });
  after(() => testDatabase?.drop());

  const store = (text: string) => rowsOf({ databaseUrl: testDatabase.url }, text);
  const countRows = async () => {
    const tables = [
      'registration',
      'reset_token',
      'email_change',
      'sign_in_code',
      'mailed_code',
      'login_challenge',
      'used_challenge',
      'totp_factor',
      'session',
      'known_network',
      'login_failure',
    ];
    const counts = await Promise.all(
      tables.map((table) => countOf({ databaseUrl: testDatabase.url }, `identity.${table}`)),
    );
    return Object.fromEntries(tables.map((table, index) => [table, counts[index]]));
  };
  /** Inserts `expired` expired rows and one live row into each table. */
  async function fill(expired: number): Promise<void> {
    const rows = `from generate_series(0, ${expired}) n`;
    const until = `case n when 0 then now() + interval '1 day' else now() - interval '1 second' end`;
    const since = `case n when 0 then now() else now() - interval '401 days' end`;
    await store(`
      insert into identity.registration select 'usr_' || n, '', '', '', '', sha256(n::text::bytea), now(), ${until} ${rows};
      insert into identity.reset_token select sha256(n::text::bytea), '', '', now(), ${until} ${rows};
      insert into identity.email_change select sha256(n::text::bytea), '', '', '', now(), ${until} ${rows};
      insert into identity.sign_in_code select sha256(n::text::bytea), '', '', '', '', '', '', '', '', now(), ${until} ${rows};
      insert into identity.mailed_code select sha256(n::text::bytea), '', '', '', 0, now(), ${until} ${rows};
      insert into identity.login_challenge select sha256(n::text::bytea), '', '', '', 0, now(), ${until} ${rows};
      insert into identity.totp_factor select '', 'fac_' || n, '', '', '', '', 0, null, null, ${since} ${rows};
      insert into identity.used_challenge select sha256(n::text::bytea), ${until} - interval '2 hours' ${rows};
      insert into identity.session (id, user_id, token_hash, auth_method, provider, ip, user_agent, created_at, last_seen_at, expires_at)
        select 'ses_' || n, '', sha256(n::text::bytea), '', '', '', '', now(), ${since}, now() + interval '1 day' ${rows};
      insert into identity.known_network select n::text, '', ${since} ${rows};
      insert into identity.login_failure select n::text, '', 1, null, ${since} ${rows}`);
  }

  test('deletes in batches, and an error in one table does not stop the other tables', async () => {
    await fill(5001);
    await store(`
      create function identity.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger fail before delete on identity.registration for each row when (old.user_id = 'usr_5001') execute function identity.fail()`);
    await removeExpired(database, log);
    const others = {
      reset_token: 1,
      email_change: 1,
      sign_in_code: 1,
      mailed_code: 1,
      login_challenge: 1,
      used_challenge: 1,
      totp_factor: 1,
      session: 1,
      known_network: 1,
      login_failure: 1,
    };
    // The oldest 5,000 were deleted: they were inserted first.
    const { registration, ...rest } = await countRows();
    assert.deepEqual(rest, others);
    assert.equal(registration, 2);
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { sweep: string }).sweep),
      ['identity.sweep_registrations'],
    );
    await store('drop trigger fail on identity.registration');
    await removeExpired(database, log);
    assert.deepEqual(await countRows(), { registration: 1, ...others });
  });

  test('goes on behind the rows that the last run examined, and then from the beginning', async () => {
    const sweep = 'identity.sweep_idle_sessions';
    const places = new Map([[sweep, 'ses_2']]);
    await store(`
      delete from identity.session;
      insert into identity.session (id, user_id, token_hash, auth_method, provider, ip, user_agent, created_at, last_seen_at, expires_at)
        select 'ses_' || n, '', sha256(n::text::bytea), '', '', '', '', now(), now() - n * interval '100 days', now() + interval '1 day' from generate_series(0, 3) n`);
    await removeExpired(database, log, undefined, places);
    assert.deepEqual(
      await store('select id from identity.session order by id'),
      ['ses_0', 'ses_1', 'ses_2'].map((id) => ({ id })),
    );
    assert.equal(places.get(sweep), '');
    await removeExpired(database, log, undefined, places);
    assert.deepEqual(await store('select id from identity.session'), [{ id: 'ses_0' }]);
  });

  test('a random key of each table to begin at is one of any part, and that of an empty one is its beginning', async () => {
    const sweep = 'identity.sweep_known_networks';
    await store(`
      delete from identity.session;
      truncate identity.known_network;
      insert into identity.known_network select lpad(n::text, 4, '0'), '', now() from generate_series(0, 9999) n`);
    const startAt = async (part: number) => (await randomStarts(database, () => part)).get(sweep);
    assert.equal(await startAt(0), '0000');
    const [half, end] = [Number(await startAt(0.5)), Number(await startAt(0.99))];
    assert.ok(half > 4000 && half < 6000, String(half));
    assert.ok(end > 9000, String(end));
    const starts = await Promise.all(Array.from({ length: 20 }, () => randomStarts(database)));
    assert.ok(new Set(starts.map((start) => start.get(sweep))).size > 1);
    assert.equal(starts[0]?.get('identity.sweep_idle_sessions'), '');
  });

  test('a process begins in the middle of a table, and goes on at its beginning', async (t) => {
    await store(`
      truncate identity.known_network;
      insert into identity.known_network
        select lpad(n::text, 4, '0'), '', now() - case when n in (0, 9999) then 401 else 0 end * interval '1 day' from generate_series(0, 9999) n`);
    t.mock.timers.enable({ apis: ['setInterval'] });
    t.mock.method(Math, 'random', () => 0.6);
    let sweeps = 0;
    const limiter = { sweep: () => Promise.resolve(void sweeps++) };
    const stop = createSweeper({ database, limiter }, log)();
    const ended = () =>
      store(
        "select email_key from identity.known_network where last_success_at < now() - interval '400 days'",
      );
    t.mock.timers.tick(10 * 60 * 1000);
    await eventually('the end of the table', async () => (await ended()).length < 2);
    assert.deepEqual(await ended(), [{ email_key: '0000' }]);
    await eventually('the beginning of the table', async () => {
      t.mock.timers.tick(10 * 60 * 1000);
      return (await ended()).length === 0;
    });
    await stop();
    assert.ok(sweeps >= 2);
  });

  test('deletes the factors of users who no longer exist, and no others', async () => {
    await store(`
      insert into identity.user_account (id, email, email_key, email_verified, name, given_name, family_name, picture, locale, status, external_id, metadata, created_at, updated_at)
        values ('usr_kept', 'k@example.com', 'k@example.com', true, '', '', '', '', '', 'disabled', '', '{}', now(), now());
      insert into identity.totp_factor select '', 'fac_' || u, u, '', '', '', 0, now(), null, now() from unnest('{usr_kept,usr_gone}'::text[]) u;
      insert into identity.recovery_code select u, '', '' from unnest('{usr_kept,usr_gone}'::text[]) u;
      insert into identity.passkey (id, user_id, credential_id, public_key, name, sign_count, backup_eligible, backed_up, transports, aaguid, created_at)
        select u, u, u, '', '', 0, false, false, '{}', '', now() from unnest('{usr_kept,usr_gone}'::text[]) u`);
    await removeExpired(database, log);
    for (const table of ['passkey', 'recovery_code', 'totp_factor'])
      assert.deepEqual(
        await store(`select user_id from identity.${table} where user_id <> ''`),
        [{ user_id: 'usr_kept' }],
        table,
      );
  });

  test('stops between two batches when the service shuts down', async () => {
    await store(
      'delete from identity.registration; delete from identity.reset_token; delete from identity.email_change; delete from identity.sign_in_code; delete from identity.mailed_code; delete from identity.login_challenge; delete from identity.used_challenge; delete from identity.totp_factor',
    );
    await store(
      'delete from identity.session; delete from identity.known_network; delete from identity.login_failure',
    );
    await fill(5001);
    let checks = 0;
    await removeExpired(database, log, () => ++checks > 1);
    assert.deepEqual((await countRows())['registration'], 2);
    assert.deepEqual((await countRows())['session'], 5002);
  });
});
