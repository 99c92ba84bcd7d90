import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { readSettings } from '@bailiwick/process';
import { migrateSettings, settingTables } from '../settings.ts';
import { foldPorts, shapes } from '../shapes.ts';
import { environmentOf, memoryOptions, unknownNames, type Wiring } from './environment.ts';
import { ensureSecrets, serviceNames } from './secrets.ts';
import { temporaryFolder } from './testing.ts';

const wiring = (dir: string): Wiring => ({
  host: '127.0.0.1',
  publicUrl: 'http://127.0.0.1:1',
  ports: Object.fromEntries(
    serviceNames.map((name, index) => [
      name,
      { rpc: 10 + index, grpc: 30 + index, admin: 20 + index },
    ]),
  ) as Wiring['ports'],
  databaseUrl: 'postgres://database',
  natsUrl: 'nats://broker',
  smtpUrl: 'smtp://inbox',
  secrets: ensureSecrets(dir),
});

test('environmentOf gives every process its required settings and none that it rejects', (t) => {
  const testWiring = wiring(temporaryFolder(t));
  for (const { services, settings } of Object.values(shapes).flat())
    readSettings(settings, environmentOf(services[0], settings, testWiring, process.env));
  readSettings(migrateSettings, environmentOf('access', migrateSettings, testWiring, process.env));
});

test('one process reads the database of each service, or the one of all', (t) => {
  const testWiring = wiring(temporaryFolder(t));
  const user = { BAILIWICK_ACCESS_DATABASE_URL: 'postgres://own' };
  for (const { services, settings } of [shapes.single[0], shapes.compact[0]]) {
    const read = readSettings(
      settings,
      environmentOf('gateway', settings, testWiring, { ...process.env, ...user }),
    );
    for (const service of services.filter((name) => name !== 'gateway'))
      assert.equal(
        read[`${service}DatabaseUrl`],
        service === 'access' ? 'postgres://own' : 'postgres://database',
      );
  }
});

test('the processes of a shape have the ports at which the others call them', (t) => {
  const own = wiring(temporaryFolder(t));
  const testWiring = { ...own, ports: foldPorts('compact', own.ports) };
  const [serve, deliver] = shapes.compact.map(({ services, settings }) =>
    environmentOf(services[0], settings, testWiring, {}),
  );
  const called = `http://127.0.0.1:${serve?.['BAILIWICK_RPC_PORT']}`;
  assert.deepEqual(
    [deliver?.['BAILIWICK_ACCESS_URL'], deliver?.['BAILIWICK_SSO_URL']],
    [called, called],
  );
  assert.equal(serve?.['BAILIWICK_NOTIFICATIONS_URL'], `http://127.0.0.1:${deliver?.['PORT']}`);
  assert.equal(serve?.['PORT'], String(own.ports.gateway.rpc));
  assert.notEqual(serve?.['PORT'], serve?.['BAILIWICK_RPC_PORT']);
  assert.deepEqual(foldPorts('services', own.ports), own.ports);
});

test('a user’s setting reaches only the processes that read it, and names in general use reach none', (t) => {
  const testWiring = wiring(temporaryFolder(t));
  const user = {
    BAILIWICK_EMAIL_CONCURRENCY: '3',
    PORT: '9999',
    DATABASE_URL: 'postgres://user',
    PATH: '/bin',
    npm_lifecycle_event: 'start',
  };
  const notifications = environmentOf(
    'notifications',
    settingTables.notifications,
    testWiring,
    user,
  );
  assert.equal(notifications['BAILIWICK_EMAIL_CONCURRENCY'], '3');
  assert.equal(notifications['PORT'], String(testWiring.ports.notifications.rpc));
  assert.equal(notifications['DATABASE_URL'], 'postgres://database');
  const gateway = environmentOf('gateway', settingTables.gateway, testWiring, user);
  assert.equal(gateway['PATH'], '/bin');
  for (const name of ['BAILIWICK_EMAIL_CONCURRENCY', 'DATABASE_URL', 'npm_lifecycle_event'])
    assert.equal(gateway[name], undefined, name);
});

test('a user’s URL file takes precedence over the local start’s URL', (t) => {
  const testWiring = wiring(temporaryFolder(t));
  const user = {
    BAILIWICK_SMTP_URL_FILE: '/run/smtp',
    BAILIWICK_ACCESS_DATABASE_URL_FILE: '/run/access',
    DATABASE_URL_FILE: '/run/database',
  };
  const notifications = environmentOf(
    'notifications',
    settingTables.notifications,
    testWiring,
    user,
  );
  assert.equal(notifications['BAILIWICK_SMTP_URL_FILE'], '/run/smtp');
  assert.equal(notifications['BAILIWICK_SMTP_URL'], undefined);
  assert.equal(
    environmentOf('access', settingTables.access, testWiring, user)[
      'BAILIWICK_ACCESS_DATABASE_URL_FILE'
    ],
    '/run/access',
  );
  assert.equal(notifications['DATABASE_URL'], 'postgres://database');
  assert.equal(notifications['DATABASE_URL_FILE'], undefined);
  assert.deepEqual(
    unknownNames(Object.values(settingTables), { ...user, BAILIWICK_HOST_FILE: 'x' }),
    ['BAILIWICK_HOST_FILE'],
  );
});

test('service addresses have the form that BAILIWICK_RPC selects', (t) => {
  const testWiring = wiring(temporaryFolder(t));
  const gatewayWith = (user: Record<string, string>) =>
    environmentOf('gateway', settingTables.gateway, testWiring, user);
  const { rpc, grpc } = testWiring.ports.access;
  assert.equal(gatewayWith({})['BAILIWICK_ACCESS_URL'], `http://127.0.0.1:${rpc}`);
  assert.equal(
    gatewayWith({ BAILIWICK_RPC: 'grpc' })['BAILIWICK_ACCESS_URL'],
    `dns:///127.0.0.1:${grpc}`,
  );
  assert.equal(
    gatewayWith({ BAILIWICK_RPC: 'grpc', BAILIWICK_ACCESS_URL: 'dns:///access:8081' })[
      'BAILIWICK_ACCESS_URL'
    ],
    'dns:///access:8081',
  );
});

test('unknownNames finds variables that no process reads', () => {
  const user = {
    BAILIWICK_DATA: 'x',
    BAILIWICK_RETRY_SCHEDULE: '0s',
    BAILIWICK_RETRY_SHEDULE: '0s',
    OTHER: 'x',
  };
  assert.deepEqual(unknownNames(Object.values(settingTables), user), ['BAILIWICK_RETRY_SHEDULE']);
});

test('the image has the options of the local start, even while it compiles', (t) => {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  const { NODE_OPTIONS: options, MALLOC_MMAP_THRESHOLD_: threshold } = memoryOptions;
  const local = environmentOf('gateway', settingTables.gateway, wiring(temporaryFolder(t)), {});
  assert.match(
    local['NODE_OPTIONS'] ?? '',
    new RegExp(`^${options} --import=file://.*/deploy/resolution.ts$`),
  );
  const inImage = `NODE_OPTIONS="${options} --import=/app/deploy/resolution.ts"`;
  assert.ok(dockerfile.includes(`    ${inImage} MALLOC_MMAP_THRESHOLD_=${threshold} \\\n`));
  assert.ok(
    dockerfile.includes(`RUN export ${inImage.replace('/app/', './')} NODE_COMPILE_CACHE=`),
  );
});
