import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { isAlive } from '@bailiwick/deploy/local/pids.ts';
import { ensureDatabase, type Postgres, startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import { quiet, temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import pg from 'pg';

async function start(t: TestContext, dataDir: string, port?: number): Promise<Postgres> {
  const server = await startPostgres({
    dataDir,
    durable: false,
    log: quiet,
    ...(port !== undefined && { port }),
  });
  t.after(() => server.stop());
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('startPostgres keeps data and password over a restart', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await start(t, dataDir);
  const url = await ensureDatabase(first.url, 'bailiwick');
  await query(url, 'create table kept as select 42 as answer');
  await first.stop();
  assert.equal(isAlive(first.pid), false);

  const second = await start(t, dataDir, first.port);
  assert.equal(await ensureDatabase(second.url, 'bailiwick'), url);
  assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }]);
});

test('startPostgres listens on loopback only, and requires the password', async (t) => {
  const dataDir = temporaryFolder(t);
  const server = await start(t, dataDir);
  const [settings] = await query(
    server.url,
    "select current_setting('listen_addresses') as a, current_setting('unix_socket_directories') as u",
  );
  assert.deepEqual(settings, { a: '127.0.0.1', u: '' });
  assert.equal(statSync(join(dataDir, 'password')).mode & 0o777, 0o600);
  const wrong = new URL(server.url);
  wrong.password = 'guess';
  await assert.rejects(query(wrong.href, 'select 1'), /password authentication failed/);
});

test('startPostgres stops the server that an earlier start left on its folder', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = await start(t, dataDir);
  const server = await start(t, dataDir);
  assert.equal(isAlive(earlier.pid), false);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
});

test('startPostgres recovers after a SIGKILL, even if another process has its pid now', async (t) => {
  const dataDir = temporaryFolder(t);
  const killed = await start(t, dataDir);
  await query(killed.url, 'create table kept as select 1 as one');
  await killed.kill();
  const pidFile = join(dataDir, 'cluster/postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n${dataDir}\n`);
  const server = await start(t, dataDir);
  assert.deepEqual(await query(server.url, 'select one from kept'), [{ one: 1 }]);
});

test('startPostgres rejects a folder of another major version with a message that says what to do', async (t) => {
  const dataDir = temporaryFolder(t);
  await (await start(t, dataDir)).stop();
  writeFileSync(join(dataDir, 'cluster/PG_VERSION'), '15\n');
  await assert.rejects(start(t, dataDir), /made by PostgreSQL 15, this is 18: delete the folder/);
});
