import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { before, describe, type TestContext, test } from 'node:test';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { answersAsBroker } from '@bailiwick/deploy/local/broker.ts';
import { startDaemon } from '@bailiwick/deploy/local/daemon.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { createLog } from '@bailiwick/process';
import { databaseRole, migrate, openDatabase, type Statement } from '@bailiwick/store';
import pg from 'pg';
import { findProgram, startTestBroker } from '../support/broker.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { takePort } from '../support/ports.ts';
import { type Authority, createAuthority } from './authority.ts';

// TLS to the database and to the broker, as configured by DATABASE_URL and NATS_URL.

const log = createLog('test', () => {});
let ours: Authority;
let strange: Authority;
before(async () => {
  [ours, strange] = await Promise.all([createAuthority(), createAuthority()]);
});

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/**
 * Turns on TLS in a server on any host: the server writes the files itself, readable for its own
 * user only.
 */
async function switchTlsOn(
  url: string,
  { cert, key }: { cert: string; key: string },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  for (const [setting, text] of [
    ['ssl_cert_file', cert],
    ['ssl_key_file', key],
  ] as const) {
    const file = `${rows[0]?.data_directory}/${setting}.pem`;
    await client.query(
      `copy (select unnest(string_to_array(${client.escapeLiteral(text.trim())}, E'\\n'))) to program ${client.escapeLiteral(`umask 077 && cat > '${file}'`)}`,
    );
    await client.query(`alter system set ${setting} = ${client.escapeLiteral(file)}`);
  }
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await client.end();
}

async function startDatabase(
  t: TestContext,
  hosts: readonly string[],
): Promise<(parameters: string) => string> {
  const database = await createTestDatabase({ ownServer: true });
  t.after(() => database.drop());
  await switchTlsOn(database.url, await ours.issue({ hosts }));
  const url = new URL(database.url);
  url.hostname = 'localhost';
  return (parameters) => `${url.href}?${parameters}`;
}

/**
 * Whether a service's connection uses TLS. Asks as the superuser, because a service's role cannot
 * see that.
 */
async function isEncrypted(url: string): Promise<boolean | undefined> {
  const database = openDatabase({
    service: 'access',
    url,
    entities: accessSchema.entities,
    poolSize: 1,
    log,
  });
  const server = new pg.Client({ connectionString: url });
  try {
    const connection: Statement<{ pid: number; role: string }, []> = {
      name: 'own',
      text: 'select pg_backend_pid() as pid, current_user as role',
    };
    const [own] = await database.query(connection, []);
    assert.equal(own?.role, databaseRole('access', url));
    await server.connect();
    return (
      await server.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = $1', [own.pid])
    ).rows[0]?.ssl;
  } finally {
    await server.end();
    await database.close();
  }
}

test('a database URL with sslmode and sslrootcert uses TLS, for services and migrations, and the role keeps its least privileges', async (t) => {
  const urlWith = await startDatabase(t, ['localhost']);
  const folder = folderOf(t);
  const [right, wrong] = [
    write(folder, 'right.pem', ours.ca),
    write(folder, 'wrong.pem', strange.ca),
  ];
  const secure = urlWith(`sslmode=verify-full&sslrootcert=${right}`);
  await eventually('the server with TLS', () => isEncrypted(secure).catch(() => undefined));
  assert.equal(await isEncrypted(urlWith('sslmode=disable')), false);
  assert.equal(await isEncrypted(`${secure}&options=-c%20role%3Dpostgres`), true);
  await migrate(accessSchema, { url: secure }, log);
  for (const parameters of ['sslmode=verify-full', `sslmode=verify-full&sslrootcert=${wrong}`]) {
    await assert.rejects(isEncrypted(urlWith(parameters)), /certificate/);
    await assert.rejects(migrate(accessSchema, { url: urlWith(parameters) }, log), /certificate/);
  }
  writeFileSync(wrong, ours.ca);
  assert.equal(
    await isEncrypted(urlWith(`sslmode=verify-full&sslrootcert=${wrong}`)),
    true,
    'each connection reads the file',
  );
});

test('a database whose certificate names another host is rejected', async (t) => {
  const urlWith = await startDatabase(t, ['database.example']);
  const file = write(folderOf(t), 'ca.pem', ours.ca);
  await eventually('the server with TLS', async () =>
    isEncrypted(urlWith(`sslmode=verify-full&sslrootcert=${file}`)).then(
      () => assert.fail('the connection was accepted'),
      (error: Error) => /altnames/.test(error.message),
    ),
  );
});

/** Whether a process whose NODE_EXTRA_CA_CERTS names a file reaches a broker in time. */
async function reaches(url: string, authority?: string): Promise<boolean> {
  const script = `
    const { openBroker } = await import('@bailiwick/broker');
    const broker = openBroker({ url: '${url}', name: 'test', log: { info() {}, warn() {}, error() {} } });
    const until = Date.now() + 4000;
    while (!broker.isConnected() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    process.exit(broker.isConnected() ? 0 : 3);`;
  const env = {
    ...process.env,
    ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }),
  };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number];
  assert.ok(code === 0 || code === 3, String(code));
  return code === 0;
}

describe('the broker over TLS', async () => {
  const program = await findProgram();
  const skip = program.image !== undefined && 'nats-server runs only in a container here';

  test('tls:// reaches only a server with a certificate of a trusted CA for the called name', {
    skip,
  }, async (t) => {
    const folder = folderOf(t);
    const authority = write(folder, 'ca.pem', ours.ca);
    const start = async (hosts: readonly string[]): Promise<number> => {
      const [port, { cert, key }] = [await takePort(), await ours.issue({ hosts })];
      const tls = `tls { cert_file: "${write(folder, `${port}.crt`, cert)}", key_file: "${write(folder, `${port}.key`, key)}" }`;
      const config = write(
        folder,
        `${port}.conf`,
        `listen: "${loopback}:${port}"\njetstream { store_dir: "${path.join(folder, String(port))}" }\n${tls}\n`,
      );
      const daemon = await startDaemon({
        command: program.command,
        args: ['--config', config],
        logFile: path.join(folder, 'nats.log'),
        signal: 'SIGTERM',
      });
      t.after(() => daemon.stop());
      await eventually('the broker', () => answersAsBroker(`nats://${loopback}:${port}`));
      return port;
    };
    const [port, elsewhere] = [await start(['localhost']), await start(['nats.example'])];
    assert.equal(await reaches(`tls://localhost:${port}`, authority), true);
    assert.equal(await reaches(`tls://localhost:${port}`), false, 'an unknown CA');
    assert.equal(await reaches(`tls://localhost:${elsewhere}`, authority), false, 'another name');
  });

  test('tls:// does not fall back to plain text if the server has no TLS', { skip }, async (t) => {
    const broker = await startTestBroker(path.join(folderOf(t), 'nats'));
    t.after(() => broker.remove());
    assert.equal(await reaches(broker.url.replace('nats:', 'tls:')), false);
    assert.equal(await reaches(broker.url), true);
  });
});
