import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { finishUpgrade } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase } from './support/database.ts';

// The end of an upgrade counts this, because processes of the version before stored it uncounted.

let admin: pg.Client;
let url = '';
let drop = async () => {};
before(async () => {
  const database = await createTestDatabase();
  ({ url } = database);
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  drop = async () => {
    await admin.end();
    await database.drop();
  };
  await admin.query('set search_path = access');
  await admin.query(
    `insert into tenant (id, slug, name, status, settings, metadata, created_by, created_at, updated_at)
     select 'tnt_' || name, name, name, 'active', '{}', '{}', '', now(), now() from unnest(array['one', 'pruned']) name`,
  );
});
after(() => drop());

let turn = 0;
/** Stores entries of an action, which happened some days ago, without their counts. */
const store = async (
  tenant: string,
  action: string,
  days: number,
  count: number,
  result = 'success',
) => {
  for (let rest = count; rest > 0; rest--)
    await admin.query(
      `insert into audit_entry values ($1, $2, $3, now() - make_interval(days => $4), $5, '', $6, '', '', '', '', '[]', '{}', '', '', '', '', '', '', '[]', '', 'hash')`,
      [tenant, `aud_${++turn}`, turn, days, action, result],
    );
};
const count = (tenant: string, kind: string, days: number, value: number) =>
  admin.query(
    `insert into daily_count values ($1, $2, (now() at time zone 'UTC')::date - $3::int, $4)`,
    [tenant, kind, days, value],
  );
const counts = async (tenant: string) =>
  (
    await admin.query<{ kind: string; days: number; count: number }>(
      `select kind, (now() at time zone 'UTC')::date - day as days, count from daily_count where tenant = $1 order by kind, days`,
      [tenant],
    )
  ).rows.map(({ kind, days, count: value }) => [kind, days, value]);

test('finish-upgrade adds the changes that processes of the version before did not count, once', async () => {
  await store('tnt_one', 'group.created', 40, 1);
  await store('tnt_one', 'group.created', 1, 3);
  await store('tnt_one', 'group.deleted', 1, 1);
  await store('tnt_one', 'group.created', 1, 1, 'denied');
  await store('tnt_one', 'bot.created', 0, 2);
  await store('tnt_one', 'role.deleted', 2, 1);
  await count('tnt_one', 'groups', 1, 1);
  await count('tnt_one', 'bots', 0, 2);
  await count('tnt_one', 'sign_in', 0, 7);
  const expected = [
    ['bots', 0, 2],
    ['groups', 1, 2],
    ['roles', 2, -1],
    ['sign_in', 0, 7],
  ];
  for (let run = 0; run < 2; run++) {
    await finishUpgrade(accessSchema, url);
    assert.deepEqual(await counts('tnt_one'), expected);
  }
  await Promise.all([finishUpgrade(accessSchema, url), finishUpgrade(accessSchema, url)]);
  assert.deepEqual(await counts('tnt_one'), expected);
});

test('finish-upgrade keeps the count of a day of which retention has dropped entries', async () => {
  // The first entry of a chain that has lost its beginning.
  await store('tnt_pruned', 'group.created', 8, 1);
  await store('tnt_pruned', 'group.created', 7, 1);
  await count('tnt_pruned', 'groups', 8, 5);
  await finishUpgrade(accessSchema, url);
  assert.deepEqual(await counts('tnt_pruned'), [
    ['groups', 7, 1],
    ['groups', 8, 5],
  ]);
});
