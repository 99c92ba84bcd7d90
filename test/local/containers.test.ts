import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import {
  startBrokerContainer,
  startPostgresContainer,
} from '@bailiwick/deploy/local/containers.ts';
import { startInfrastructure } from '@bailiwick/deploy/local/infrastructure.ts';
import { readOptions } from '@bailiwick/deploy/local/options.ts';
import { createShutdown } from '@bailiwick/deploy/local/shutdown.ts';
import { npmStart, quiet, temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { images } from '@bailiwick/deploy/versions.ts';
import { connect } from 'nats';
import pg from 'pg';
import { type FakeEngine, startFakeEngine } from './fake-engine.ts';

// Tests the testcontainers path on a fake engine. The public workflow runs it on a real one.

const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache ?? {}).filter((file) =>
    file.includes('/testcontainers/'),
  );

test('a start without containers does not load testcontainers', () =>
  assert.deepEqual(loaded(), []));

test('BAILIWICK_INFRA=containers npm start reports in one line that no engine answers', async (t) => {
  // The host's own engine must not answer either.
  const nowhere = {
    HOME: temporaryFolder(t),
    DOCKER_HOST: 'unix:///nowhere/docker.sock',
    XDG_RUNTIME_DIR: '/nowhere',
  };
  const run = npmStart(t, temporaryFolder(t), {
    env: { BAILIWICK_INFRA: 'containers', ...nowhere },
  });
  const { code } = await run.ended;
  assert.notEqual(code, 0);
  assert.match(
    run.output(),
    /^starting Bailiwick[^\n]*\nBAILIWICK_INFRA=containers: no container engine answers; start Docker [^\n]*\n$/,
  );
});

test('database and broker containers use the images of versions.ts and listen on loopback only', async () => {
  const [database, broker] = await Promise.all([startPostgresContainer(), startBrokerContainer()]);
  assert.match(database.url, /^postgres:\/\/postgres:[0-9a-f]{48}@127\.0\.0\.1:\d+\/postgres$/);
  assert.deepEqual(
    [...engine.containers.values()].map(({ creation }) => creation.Image).sort(),
    Object.values(images).sort(),
  );
  for (const { creation } of engine.containers.values()) {
    const bindings = Object.values(creation.HostConfig.PortBindings).flat();
    assert.deepEqual(
      bindings.map(({ HostIp }) => HostIp),
      ['127.0.0.1'],
    );
  }
  assert.match(
    engine.copied.join(),
    /etc\/nats\/bailiwick\.conf[^]*max_payload: 4194304[^]*store_dir: "\/data\/jetstream"/,
  );
  await write(database.url, broker.url);

  // As tests do that stop both for a while.
  await Promise.all([database.stop(), broker.stop()]);
  await Promise.all([database.start(), broker.start()]);
  assert.deepEqual(await read(database.url, broker.url), { rows: 1, messages: 1 });
  await Promise.all([database.remove(), broker.remove()]);
  assert.equal(engine.containers.size, 0);

  // A new container has a new password and none of the data.
  const next = await startPostgresContainer();
  const client = new pg.Client({ connectionString: next.url });
  await client.connect();
  const { rows } = await client.query(`select to_regclass('kept') as kept`);
  await client.end();
  assert.deepEqual(rows, [{ kept: null }]);
  await next.remove();
});

test('BAILIWICK_INFRA=containers takes precedence over servers in the environment, and stops and removes everything', async (t) => {
  const shutdown = createShutdown(quiet);
  const said: string[] = [];
  const named = {
    BAILIWICK_INFRA: 'containers',
    DATABASE_URL: 'postgres://elsewhere/d',
    NATS_URL: 'nats://elsewhere',
  };
  const options = readOptions([], { ...named, BAILIWICK_DATA: temporaryFolder(t) });
  const { databaseUrl, natsUrl } = await startInfrastructure(options, {
    shutdown,
    say: (line) => said.push(line),
    signal: AbortSignal.timeout(60_000),
  });
  assert.match(databaseUrl, /@127\.0\.0\.1:\d+\/bailiwick$/);
  await write(databaseUrl, natsUrl);
  assert.deepEqual(said.sort(), [
    'the broker runs in a container, and its data goes with it',
    'the database runs in a container, and its data goes with it',
  ]);
  await shutdown.stop();
  assert.equal(engine.containers.size, 0);
});

test('BAILIWICK_INFRA=containers npm start reports a missing image in one line, and ends', async (t) => {
  const folder = temporaryFolder(t);
  const empty = await startFakeEngine(folder, { hasImages: false });
  t.after(() => empty.close());
  const env = {
    BAILIWICK_INFRA: 'containers',
    DOCKER_HOST: empty.dockerHost,
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    HOME: folder,
  };
  const run = npmStart(t, join(folder, 'data'), { env });
  assert.notEqual((await run.ended).code, 0);
  const lines = run.output().trim().split('\n');
  assert.equal(lines.length, 2, run.output());
  assert.match(
    lines[1] ?? '',
    /^the container image \S*postgres\S* is missing and cannot be pulled \(.*no route to the registry.*\); pull it .*BAILIWICK_INFRA/,
  );
});

const folder = mkdtempSync(join(tmpdir(), 'bailiwick-engine-'));
let engine: FakeEngine;

before(async () => {
  engine = await startFakeEngine(folder);
  // Disable the container that cleans up after a killed process, and the check whether this host is
  // a container.
  Object.assign(process.env, {
    DOCKER_HOST: engine.dockerHost,
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    TESTCONTAINERS_HOST_OVERRIDE: 'localhost',
  });
});
after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

async function write(databaseUrl: string, brokerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create table kept (n int)');
  await client.query('insert into kept values (1)');
  await client.end();
  const connection = await connect({ servers: brokerUrl });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: 'KEPT', subjects: ['kept'] });
  await connection.jetstream().publish('kept');
  await connection.close();
}

async function read(
  databaseUrl: string,
  brokerUrl: string,
): Promise<{ rows: number; messages: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rowCount } = await client.query('select n from kept');
  await client.end();
  const connection = await connect({ servers: brokerUrl });
  const { state } = await (await connection.jetstreamManager()).streams.info('KEPT');
  await connection.close();
  return { rows: rowCount ?? 0, messages: state.messages };
}
