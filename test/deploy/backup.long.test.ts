import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { headerLine, readHeader } from '@bailiwick/deploy/local/backup-file.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import {
  isUp,
  npmStart,
  pressCtrlC,
  type Run,
  temporaryFolder,
} from '@bailiwick/deploy/local/testing.ts';
import pg from 'pg';
import { callerOf, eventually } from '../support/harness.ts';
import { caughtBy, createTenant, type MailStack, password, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';

// npm run backup and npm run restore, as a user of the local start calls them.

type Outcome = { code: number; stderr: string };

async function tool(
  name: 'backup' | 'restore',
  dataDir: string,
  ...given: string[]
): Promise<Outcome> {
  const env = { ...process.env, BAILIWICK_DATA: dataDir, DATABASE_URL: '', BAILIWICK_INFRA: '' };
  return promisify(execFile)('npm', ['run', '--silent', name, '--', ...given], {
    cwd: root,
    env,
  }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: Outcome) => ({ code, stderr }),
  );
}

async function start(
  t: TestContext,
  dataDir: string,
): Promise<MailStack & { run: Run; gateway: string; databaseUrl: string }> {
  const run = npmStart(t, dataDir, { args: ['--single'] });
  const { gateway, inbox } = await isUp(run);
  const databaseUrl =
    /database +(postgres:\S+)/.exec(run.output())?.[1] ?? assert.fail(run.output());
  return {
    run,
    gateway,
    databaseUrl,
    inboxUrl: inbox,
    call: callerOf(gateway),
  };
}

async function stop(run: Run): Promise<void> {
  pressCtrlC(run);
  assert.equal((await run.ended).code, 0, run.output());
}

/** The number of rows in each table of the services. */
async function rowCounts(databaseUrl: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; count: number }>(
      `select format('%I.%I', schemaname, relname) as name,
         (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', schemaname, relname), false, true, '')))[1]::text::int as count
       from pg_stat_user_tables order by 1`,
    );
    return new Map(rows.map(({ name, count }) => [name, count]));
  } finally {
    await client.end();
  }
}

test('a backup of a running start, restored to an empty folder, has every user, secret and audit entry', async (t) => {
  const [first, second] = [temporaryFolder(t), path.join(temporaryFolder(t), 'data')];
  const file = path.join(temporaryFolder(t), 'backup.gz');
  assert.match((await tool('backup', first, file)).stderr, /holds no database of npm start/);

  const before = await start(t, first);
  const owner = await signUp(before);
  const tenant = await createTenant(before, owner.token, 'Back\\slash \\.');
  const endpoint = {
    Tenant: tenant,
    Name: 'events',
    URL: `${before.inboxUrl}/hooks/events`,
    EventTypes: ['group.*'],
  };
  const created = await before.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, owner.token);
  const { ID } = created.body['Endpoint'] as { ID: string };
  const group = { Tenant: tenant, Path: 'eng', Description: 'tab\tand\nlines' };
  await before.call('Groups_Save', { Group: group }, owner.token);
  const settled = async () =>
    (
      await before.call(
        'Audit_List',
        { Tenant: tenant, Filter: { Actions: ['group.created'] } },
        owner.token,
      )
    ).body['Page'] as { Items: unknown[] };
  await eventually('the audit', async () => (await settled()).Items.length === 1);

  assert.deepEqual(await tool('backup', first, file), { code: 0, stderr: '' });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await before.call('Groups_Save', { Group: { Tenant: tenant, Path: 'later' } }, owner.token);
  await stop(before.run);
  const refused = await tool('backup', first, file);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /backup[.]gz exists: .* --force FILE/);
  const again = path.join(path.dirname(file), 'again.gz');
  writeFileSync(again, 'an earlier backup');
  assert.deepEqual(
    await tool('backup', first, '--force', again),
    { code: 0, stderr: '' },
    'a stopped start can be backed up too, over an earlier backup',
  );

  assert.match((await tool('restore', first, file)).stderr, /already holds an installation/);
  const broken = path.join(path.dirname(file), 'broken.gz');
  writeFileSync(broken, gzipSync(gunzipSync(readFileSync(file)).subarray(0, -40)));
  assert.match((await tool('restore', second, broken)).stderr, /the backup is incomplete/);
  assert.ok(
    !existsSync(path.join(second, 'postgres')),
    'a failed restore leaves no database behind',
  );
  writeFileSync(broken, gzipSync('select 1;\n'));
  assert.match((await tool('restore', second, broken)).stderr, /not a backup/);
  assert.deepEqual(await tool('restore', second, file), { code: 0, stderr: '' });

  const after = await start(t, second);
  assert.equal(
    readFileSync(path.join(second, 'platform-key'), 'utf8'),
    readFileSync(path.join(first, 'platform-key'), 'utf8'),
  );
  const login = await after.call('Account_Login', { Email: owner.email, Password: password });
  assert.equal(login.status, 200, JSON.stringify(login.body));
  assert.equal(
    (await after.call('Account_Get', {}, owner.token)).status,
    200,
    'sessions are restored too',
  );
  const { body } = await after.call('Tenants_Get', { Tenant: tenant }, owner.token);
  assert.equal((body['Tenant'] as { Name: string }).Name, 'Back\\slash \\.');
  const { Items } = (await after.call('Groups_List', { Tenant: tenant }, owner.token)).body[
    'Page'
  ] as { Items: Array<{ Path: string; Description: string }> };
  assert.deepEqual(
    Items.map(({ Path, Description }) => [Path, Description]),
    [['eng', group.Description]],
    'the time of the backup',
  );
  // The signing secret opens with the key ring of the backup.
  const moved = await after.call(
    'Webhooks_UpdateEndpoint',
    { Endpoint: { ...endpoint, ID, URL: `${after.inboxUrl}/hooks/events` } },
    owner.token,
  );
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  await after.call('Groups_Save', { Group: { Tenant: tenant, Path: 'new' } }, owner.token);
  const isTold = async () =>
    (await caughtBy(after, 'events', String(created.body['Secret']))).some(
      ({ Body, SignatureValid }) => SignatureValid && Body.includes('"new"'),
    );
  await eventually('a signed event', isTold, 60_000);
  assert.equal(
    (await after.call('Audit_Verify', { Tenant: tenant }, owner.token)).body['Valid'],
    true,
  );
  await stop(after.run);

  const third = path.join(temporaryFolder(t), 'data');
  assert.deepEqual(await tool('restore', third, '--copy', file), { code: 0, stderr: '' });
  const copy = await start(t, third);
  for (const name of ['installation', 'platform-key'])
    assert.notEqual(
      readFileSync(path.join(third, name), 'utf8'),
      readFileSync(path.join(first, name), 'utf8'),
      `a copy has a ${name} of its own`,
    );
  const keyOf = (folder: string) => readFileSync(path.join(folder, 'platform-key'), 'utf8').trim();
  assert.equal((await copy.call('Users_Get', { UserID: owner.id }, keyOf(third))).status, 200);
  assert.equal((await copy.call('Users_Get', { UserID: owner.id }, keyOf(first))).status, 401);
  await stop(copy.run);
});

/** The database of a stopped start. */
async function databaseOf(t: TestContext, dataDir: string): Promise<string> {
  const postgres = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} });
  t.after(() => postgres.stop());
  return new URL('/bailiwick', postgres.url).href;
}

test('every row of every table is in the backup, and a restore names its migrations', async (t) => {
  const dataDir = temporaryFolder(t);
  const file = path.join(temporaryFolder(t), 'backup.gz');
  const { run, call, inboxUrl } = await start(t, dataDir);
  const owner = await signUp({ call, inboxUrl });
  await createTenant({ call, inboxUrl }, owner.token);
  await stop(run);
  assert.equal((await tool('backup', dataDir, file)).code, 0);
  const text = gunzipSync(readFileSync(file)).toString();
  const copies = text.matchAll(/^COPY (\S+) \(.*\) FROM stdin;\n((?:.*\n)*?)\\\.$/gm);
  const saved = new Map(
    Array.from(copies, ([, name = '', rows = '']) => [name, rows.split('\n').length - 1]),
  );

  const databaseUrl = await databaseOf(t, dataDir);
  const counts = await rowCounts(databaseUrl);
  for (const service of ['identity', 'access', 'sso', 'notifications'])
    for (const own of ['schema_window', 'migration']) counts.delete(`${service}.${own}`);
  assert.deepEqual(Object.fromEntries(saved), Object.fromEntries(counts));
  assert.ok((saved.get('access.tenant_member') ?? 0) > 0);
  assert.deepEqual(
    await rowsOf(
      { databaseUrl },
      "select sequencename from pg_sequences where sequencename <> 'migration_id_seq'",
    ),
    [],
    'a backup would have to include sequences',
  );

  // As in an installation that was upgraded from the version before the baselines.
  const { baseline, migrations } = accessSchema;
  const former = Array.from({ length: baseline.version - 1 }, (_, index) => `former-${index}`);
  const applied = [...former, baseline.last, ...migrations.map(({ name }) => name)];
  const end = text.indexOf('\n') + 1;
  const header = readHeader(text.slice(0, end));
  const Migrations = { ...header.Migrations, access: applied };
  writeFileSync(file, gzipSync(headerLine({ ...header, Migrations }) + text.slice(end)));
  const restored = path.join(temporaryFolder(t), 'data');
  assert.deepEqual(await tool('restore', restored, file), { code: 0, stderr: '' });
  const names = await rowsOf<{ name: string }>(
    { databaseUrl: await databaseOf(t, restored) },
    'select name from access.migration order by id',
  );
  assert.deepEqual(
    names.map(({ name }) => name),
    applied,
  );
});
