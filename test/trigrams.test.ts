import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { searchGroups } from '@bailiwick/access/groups/queries.ts';
import { searchInvitations } from '@bailiwick/access/invitations/queries.ts';
import { searchTenants } from '@bailiwick/access/tenants/queries.ts';
import { searchMembers } from '@bailiwick/access/tenants/search/queries.ts';
import { migrateAll } from '@bailiwick/deploy/migrate.ts';
import { searchBots } from '@bailiwick/identity/bots/queries.ts';
import { searchUsers } from '@bailiwick/identity/users/queries.ts';
import { readSearch, type Search } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import type { FoundIds, Reader } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase } from './support/database.ts';
import { eventually } from './support/harness.ts';

// The indexes that searches use, and searches on a server without the extensions for them.

const searchFor = (query: string): Search => readSearch({ query }) ?? assert.fail();
const page = { after: '', limit: 51 };
const seen = { withBarred: false, withPending: true };

type Plan = { 'Index Name'?: string; Plans?: Plan[] };
const indexesOf = ({ 'Index Name': name, Plans = [] }: Plan): string[] => [
  ...(name === undefined ? [] : [name]),
  ...Plans.flatMap(indexesOf),
];

describe('searches by trigrams', () => {
  let url = '';
  let admin: pg.Client;
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
    // An index is built faster than it is filled row by row.
    for (const index of ['tenant_member', 'tenant', 'group_entry', 'invitation'])
      await admin.query(`drop index access.${index}_trigrams`);
    for (const index of ['user_account', 'bot'])
      await admin.query(`drop index identity.${index}_trigrams`);
    // One large tenant among many small ones, which an average over all tenants does not show.
    for (const statement of [
      `insert into access.tenant_member (tenant, user_id, status, source, joined_at, name_key, email_key, described_at)
       select case when n <= 10000 then 'large' else 'small' || n end, 'usr_' || n, 'active', 'admin', now(), 'person ' || md5(n::text), md5(n::text) || '@example.com', now()
       from generate_series(1, 12000) n`,
      `insert into access.tenant (id, slug, name, status, settings, metadata, created_by, created_at, updated_at)
       select 'tnt_' || n, md5(n::text), 'Tenant ' || md5(n::text), 'active', '{}', '{}', '', now(), now() from generate_series(1, 10000) n`,
      `insert into access.group_entry (tenant, id, path, key, ancestor_keys, name, description, external_id, source, metadata, created_at, updated_at)
       select 'large', 'grp_' || n, md5(n::text), md5(n::text), '{}', '', '', '', 'api', '{}', now(), now() from generate_series(1, 10000) n`,
      `insert into access.invitation (tenant, id, email, email_key, status, roles, groups, inviter_type, invited_by, inviter_narrowed_to, accepted_by, token_hash, expires_at, created_at, updated_at)
       select 'large', 'inv_' || n, md5(n::text) || '@example.com', md5(n::text), 'pending', '{}', '[]', 'user', '', '{}', '', n::text::bytea, now(), now(), now() from generate_series(1, 10000) n`,
      `insert into identity.user_account select (jsonb_populate_record(null::identity.user_account, jsonb_build_object(
         'id', 'usr_' || n, 'email', md5(n::text) || '@example.com', 'email_key', md5(n::text), 'email_verified', true, 'mailbox_proven', true, 'name', 'Person ' || n,
         'given_name', '', 'family_name', '', 'picture', '', 'locale', '', 'status', 'active', 'external_id', '', 'import_batch', '', 'metadata', '{}'::jsonb, 'password_hash', '', 'lock_receipt', '',
         'created_at', now(), 'updated_at', now()))).* from generate_series(1, 10000) n`,
      `insert into identity.bot (tenant, id, name, description, active, metadata, created_by, created_at, updated_at)
       select 'large', 'bot_' || n, md5(n::text), '', true, '{}', '', now(), now() from generate_series(1, 10000) n`,
    ])
      await admin.query(statement);
    await migrateAll(
      { DATABASE_URL: url },
      createLog('migrate', () => {}),
    );
    await admin.query('vacuum analyze');
  });
  after(() => drop());

  /** Runs a search, and returns its ids and the indexes of its statement that looks inside. */
  async function run(
    service: string,
    search: (reader: Reader) => Promise<FoundIds>,
  ): Promise<{ ids: string[]; indexes: string[] }> {
    const indexes: string[] = [];
    await admin.query(`set search_path = ${service}; set plan_cache_mode = force_generic_plan`);
    const reader = {
      async query(
        { name, text }: { name: string; text: string },
        values: Array<string | number | null>,
      ) {
        if (name.includes('_inside_')) {
          await admin.query(`prepare looked as ${text}`);
          const literals = values.map((value) =>
            value === null ? 'null' : admin.escapeLiteral(`${value}`),
          );
          const { rows } = await admin.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            `explain (format json) execute looked (${literals.join()})`,
          );
          indexes.push(...indexesOf(rows[0]?.['QUERY PLAN'][0].Plan ?? {}));
          await admin.query('deallocate looked');
        }
        return (await admin.query(text, values)).rows;
      },
    } as unknown as Reader;
    const { found: places } = await search(reader);
    return { ids: places.map(({ id }) => id), indexes };
  }

  /** A text in the middle of the keys of row `n`. */
  const partOf = async (n: number): Promise<string> =>
    (await admin.query<{ part: string }>('select substr(md5($1), 5, 12) as part', [String(n)]))
      .rows[0]?.part ?? '';

  const lists: ReadonlyArray<
    [
      index: string,
      service: string,
      id: string,
      (reader: Reader, query: string) => Promise<FoundIds>,
    ]
  > = [
    [
      'tenant_member_trigrams',
      'access',
      'usr_4321',
      (reader, query) => searchMembers(reader, 'large', { ...searchFor(query), ...seen }, page),
    ],
    [
      'tenant_trigrams',
      'access',
      'tnt_4321',
      (reader, query) => searchTenants(reader, searchFor(query), page),
    ],
    [
      'group_entry_trigrams',
      'access',
      'grp_4321',
      (reader, query) => searchGroups(reader, 'large', searchFor(query), page),
    ],
    [
      'invitation_trigrams',
      'access',
      'inv_4321',
      (reader, query) => searchInvitations(reader, 'large', searchFor(query), page),
    ],
    [
      'user_account_trigrams',
      'identity',
      'usr_4321',
      (reader, query) => searchUsers(reader, searchFor(query), page),
    ],
    [
      'bot_trigrams',
      'identity',
      'bot_4321',
      (reader, query) => searchBots(reader, 'large', searchFor(query), page),
    ],
  ];
  for (const [index, service, id, search] of lists)
    test(`a search inside of words uses ${index}, also with a plan that does not know its tenant`, async () => {
      const part = await partOf(4321);
      const { ids, indexes } = await run(service, (reader) => search(reader, part));
      assert.deepEqual(ids, [id]);
      assert.ok(indexes.includes(index), indexes.join());
      assert.ok(!indexes.some((one) => /pkey/.test(one)), indexes.join());
    });

  test('a search inside of words finds no member of another tenant', async () => {
    const foreign = searchFor(await partOf(11777));
    for (const [tenant, expected] of [
      ['large', []],
      ['small11777', ['usr_11777']],
    ] as const) {
      const { ids } = await run('access', (reader) =>
        searchMembers(reader, tenant, { ...foreign, ...seen }, page),
      );
      assert.deepEqual(ids, expected, tenant);
    }
  });

  test('a search reads the beginning again while its index is missing or was left by an interrupted build', async () => {
    const search = async () => {
      const part = await partOf(4321);
      const { ids } = await run('access', (reader) =>
        searchGroups(reader, 'large', searchFor(part), page),
      );
      return ids;
    };
    const isValid = (valid: boolean) =>
      admin.query(
        `update pg_index set indisvalid = $1 where indexrelid = 'access.group_entry_trigrams'::regclass`,
        [valid],
      );
    await isValid(false);
    assert.deepEqual(await search(), []);
    await migrateAll(
      { DATABASE_URL: url },
      createLog('migrate', () => {}),
    );
    assert.deepEqual(await search(), ['grp_4321']);
  });

  test('a build that waits for an old transaction keeps no schema back, and fails no migration when it breaks', async () => {
    const lines: string[] = [];
    const log = createLog('migrate', (line) => void lines.push(line));
    const old = new pg.Client({ connectionString: url });
    await old.connect();
    try {
      await admin.query('drop index identity.bot_trigrams');
      await old.query(`begin; update identity.bot set name = name where id = 'bot_1'`);
      const migration = migrateAll({ DATABASE_URL: url }, log);
      const building = `select pid from pg_stat_activity where datname = current_database() and query like 'create index concurrently bot_trigrams%' and wait_event_type = 'Lock'`;
      await eventually(
        'the waiting build',
        async () => (await admin.query(building)).rowCount === 1,
      );
      for (const schema of ['identity', 'access', 'sso', 'notifications'])
        assert.ok(
          lines.some((line) => line.includes('schema is current') && line.includes(schema)),
          schema,
        );
      await admin.query(`select pg_terminate_backend(pid) from (${building}) as found`);
      await migration;
    } finally {
      await old.end();
    }
    const [warning = '', ...more] = lines.filter((line) => line.includes('"warn"'));
    assert.match(warning, /building the trigram indexes of identity failed.*"bot_trigrams"/);
    assert.doesNotMatch(warning, /create extension/);
    assert.deepEqual(more, []);
    await migrateAll({ DATABASE_URL: url }, log);
    const valid = `select indisvalid from pg_index where indexrelid = 'identity.bot_trigrams'::regclass`;
    assert.deepEqual((await admin.query(valid)).rows, [{ indisvalid: true }]);
  });
});

describe('migrations without the extensions of trigrams', () => {
  const lines: string[] = [];
  const log = createLog('migrate', (line) => void lines.push(line));
  const warnings = () => lines.filter((line) => line.includes('trigram indexes are missing'));
  let owner: pg.Client;
  let url = '';
  let drop = async () => {};
  const login = `migrations_${randomBytes(4).toString('hex')}`;
  before(async () => {
    const database = await createTestDatabase({ isEmpty: true });
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    const { pathname } = new URL(database.url);
    await owner.query(`create role ${login} login createrole password 'secret'`);
    await owner.query(`grant create on database ${pathname.slice(1)} to ${login}`);
    const own = new URL(database.url);
    [own.username, own.password] = [login, 'secret'];
    url = own.href;
    drop = async () => {
      await owner.end();
      await database.drop();
    };
  });
  after(() => drop());

  const indexNames = String.raw`select indexname as name from pg_indexes where indexname like '%\_trigrams' order by 1`;
  const trigramIndexes = async () =>
    (await owner.query<{ name: string }>(indexNames)).rows.map(({ name }) => name);

  test('a server that refuses them gets one line a service, and searches by beginnings', async () => {
    await owner.query(`
      create function refuse() returns event_trigger language plpgsql as $$ begin raise exception 'not on this server'; end $$;
      create event trigger refusal on ddl_command_start when tag in ('CREATE EXTENSION') execute function refuse();`);
    await migrateAll({ DATABASE_URL: url }, log);
    assert.equal(warnings().length, 2);
    for (const line of warnings()) {
      assert.match(line, /create extension pg_trgm; create extension btree_gin/);
      assert.match(line, /not on this server/);
    }
    assert.deepEqual(await trigramIndexes(), []);
    await owner.query(
      `insert into access.tenant (id, slug, name, status, settings, metadata, created_by, created_at, updated_at)
       values ('tnt_1', 'acme', 'Acme', 'active', '{}', '{}', '', now(), now())`,
    );
    await owner.query('set search_path = access');
    const reader = {
      query: async ({ text }: { text: string }, values: unknown[]) =>
        (await owner.query(text, values)).rows,
    } as unknown as Reader;
    const find = async (query: string) =>
      (await searchTenants(reader, searchFor(query), page)).found.map(({ id }) => id);
    assert.deepEqual(await find('acm'), ['tnt_1']);
    assert.deepEqual(await find('cme'), []);
    // The next run finds what a superuser has added.
    await owner.query('drop event trigger refusal; reset search_path');
    lines.length = 0;
    await migrateAll({ DATABASE_URL: url }, log);
    assert.deepEqual(warnings(), []);
    assert.deepEqual(await trigramIndexes(), [
      'bot_trigrams',
      'group_entry_trigrams',
      'invitation_trigrams',
      'tenant_member_trigrams',
      'tenant_trigrams',
      'user_account_trigrams',
    ]);
    await owner.query('set search_path = access');
    assert.deepEqual(await find('cme'), ['tnt_1']);
  });

  test('the login of the migrations creates them itself where it may create them, in any schema that has them', async () => {
    const { rows } = await owner.query(
      `select e.extname, r.rolname from pg_extension e join pg_roles r on r.oid = e.extowner where e.extname in ('pg_trgm', 'btree_gin') order by 1`,
    );
    assert.deepEqual(rows, [
      { extname: 'btree_gin', rolname: login },
      { extname: 'pg_trgm', rolname: login },
    ]);
    await owner.query(`
      create schema "Other extensions"; grant usage on schema "Other extensions" to public;
      drop extension pg_trgm cascade; create extension pg_trgm schema "Other extensions"`);
    await migrateAll({ DATABASE_URL: url }, log);
    assert.deepEqual(warnings(), []);
    assert.equal((await trigramIndexes()).length, 6);
  });
});
